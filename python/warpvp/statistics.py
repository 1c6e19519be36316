"""Means with confidence intervals, as warpvp's own tables have them."""

import math


def _incomplete_beta(a, b, x):
    """The regularised incomplete beta function, by Lentz's continued fraction (DLMF 8.17.22)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges fast
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    tiny = 1e-300
    c, d = 1.0, 1 / max(abs(1 - (a + b) * x / (a + 1)), tiny)
    d = math.copysign(d, 1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 500):
        for term in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 / ((1 + term * d) or tiny)
            c = (1 + term / c) or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * value


def student_t(probability, freedom):
    """The quantile of Student's t distribution: student_t(0.975, 9) is 2.262."""
    if not 0 < probability < 1 or freedom <= 0:
        raise ValueError("probability must be between 0 and 1, freedom above 0")
    if probability < 0.5:
        return -student_t(1 - probability, freedom)

    def below(t):
        return 1 - _incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2

    high = 1.0
    while below(high) < probability:
        high *= 2
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) < probability else (low, middle)
    return (low + high) / 2


def confidence_interval(values, confidence=0.95):
    """(mean, half width of the interval of the mean, number of values); half is None for fewer than two."""
    numbers = [float(v) for v in values if v is not None and not math.isnan(float(v))]
    n = len(numbers)
    if n == 0:
        return None, None, 0
    mean = math.fsum(numbers) / n
    if n == 1:
        return mean, None, 1
    deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in numbers) / (n - 1))
    return mean, student_t((1 + confidence) / 2, n - 1) * deviation / math.sqrt(n), n
