// The first interface of cuBLAS: letters, values and one handle for all.

#include "tests/cuda/blas_complex.h"

extern "C" {
cublasStatus_t cublasInit();
cublasStatus_t cublasShutdown();
cublasStatus_t cublasGetError();
cublasStatus_t cublasAlloc(int, int, void**);
cublasStatus_t cublasFree(void*);
void cublasSaxpy(int, float, const float*, int, float*, int);
float cublasSdot(int, const float*, int, const float*, int);
double cublasDnrm2(int, const double*, int);
int cublasIcamax(int, const ComplexFloat*, int);
ComplexFloat cublasCdotc(int, const ComplexFloat*, int, const ComplexFloat*, int);
ComplexDouble cublasZdotu(int, const ComplexDouble*, int, const ComplexDouble*, int);
void cublasCrotg(ComplexFloat*, ComplexFloat, float*, ComplexFloat*);
void cublasZgemv(char, int, int, ComplexDouble, const ComplexDouble*, int, const ComplexDouble*, int,
                 ComplexDouble, ComplexDouble*, int);
void cublasDtbmv(char, char, char, int, int, const double*, int, double*, int);
void cublasCher(char, int, float, const ComplexFloat*, int, ComplexFloat*, int);
void cublasCgemm(char, char, int, int, int, ComplexFloat, const ComplexFloat*, int, const ComplexFloat*, int,
                 ComplexFloat, ComplexFloat*, int);
void cublasZherk(char, char, int, int, double, const ComplexDouble*, int, double, ComplexDouble*, int);
void cublasStrmm(char, char, char, char, int, int, float, const float*, int, float*, int);
void cublasStrsm(char, char, char, char, int, int, float, const float*, int, float*, int);
}

namespace warpvp::test {
namespace {

template <class T>
double distance(T got, Z wanted) {
  return std::abs(wide(got) - wanted);
}

}  // namespace

void first_interface() {
  cublasSaxpy(1, 1, nullptr, 1, nullptr, 1);
  expect(cublasGetError() == CUBLAS_STATUS_NOT_INITIALIZED, "a call before cublasInit");
  ok(cublasInit(), "Init");
  void* memory = nullptr;
  ok(cublasAlloc(10, 4, &memory), "Alloc");
  ok(cublasFree(memory), "Free");

  const Line<float> x(9, 2), y(9, -1);
  OnDevice<float> dx(x.values), dy(y.values);
  const Whole product = times(after(CUBLAS_OP_T, x.column()), y.column());
  expect(distance(cublasSdot(9, dx, 2, dy, -1), product(0, 0)) < 1e-5, "Sdot");
  cublasSaxpy(9, 2.5f, dx, 2, dy, -1);
  compare_line(dy.get(), y, sum(2.5, x.column(), 1, y.column()), 1, "Saxpy");
  OnDevice<double> threes(std::vector<double>{3, 4});
  expect(cublasDnrm2(2, threes, 1) == 5, "Dnrm2");

  const Line<ComplexFloat> u(7, 1), v(7, 3);
  const Line<ComplexDouble> p(7, 1), q(7, 3);
  OnDevice<ComplexFloat> du(u.values), dv(v.values);
  OnDevice<ComplexDouble> dp(p.values), dq(q.values);
  expect(
      distance(cublasCdotc(7, du, 1, dv, 3), times(after(CUBLAS_OP_C, u.column()), v.column())(0, 0)) < 1e-5,
      "Cdotc");
  expect(
      distance(cublasZdotu(7, dp, 1, dq, 3), times(after(CUBLAS_OP_T, p.column()), q.column())(0, 0)) < 1e-13,
      "Zdotu");
  OnDevice<ComplexFloat> three(std::vector<ComplexFloat>{{1, -1}, {-2, 3}, {0, 4}});
  expect(cublasIcamax(3, three, 1) == 2, "Icamax");
  ComplexFloat a = {3, 4}, s = 0;
  float c = 0;
  cublasCrotg(&a, {0, 5}, &c, &s);
  expect(distance(a, double(c) * Z(3, 4) + wide(s) * Z(0, 5)) < 1e-5, "Crotg");

  const Whole m = random_whole<ComplexDouble>(5, 7), n = random_whole<ComplexFloat>(6, 5);
  OnDevice<ComplexDouble> dm(in_columns<ComplexDouble>(m, 5)),
      dr(std::vector<ComplexDouble>(25, ComplexDouble(1)));
  const Line<ComplexDouble> r(7, 1), t(5, 2);
  OnDevice<ComplexDouble> d_r(r.values), d_t(t.values);
  cublasZgemv('n', 5, 7, {0, 2}, dm, 5, d_r, 1, ComplexDouble(0.5), d_t, 2);
  compare_line(d_t.get(), t, sum(Z(0, 2), times(m, r.column()), 0.5, t.column()), 7, "Zgemv");
  const std::vector<ComplexDouble> ones(25, ComplexDouble(1));
  cublasZherk('L', 'N', 5, 7, 2, dm, 5, 3, dr, 5);
  compare_columns(dr.get(), ones,
                  sum(2, times(m, after(CUBLAS_OP_C, m)), 3, whole(5, 5, [](int, int) { return Z(1); })), 5,
                  7, "Zherk", triangle_of(true));
  OnDevice<ComplexFloat> dn(in_columns<ComplexFloat>(n, 6)),
      ds(std::vector<ComplexFloat>(25, ComplexFloat(1)));
  const std::vector<ComplexFloat> before(25, ComplexFloat(1));
  cublasCgemm('c', 'N', 5, 5, 6, {1, 1}, dn, 6, dn, 6, ComplexFloat(0), ds, 5);
  compare_columns(ds.get(), before, sum(Z(1, 1), times(after(CUBLAS_OP_C, n), n), 0, Whole(5, 5)), 5, 6,
                  "Cgemm");
  const Whole h = random_symmetric<ComplexFloat>(7, true);
  const auto columns = in_columns<ComplexFloat>(h, 7);
  OnDevice<ComplexFloat> dh(columns);
  cublasCher('u', 7, 0.5f, du, 1, dh, 7);
  compare_columns(dh.get(), columns, sum(0.5, times(u.column(), after(CUBLAS_OP_C, u.column())), 1, h), 7, 2,
                  "Cher", triangle_of(false));

  const Whole triangle = random_triangle<float>(6, 6, true, false), b = random_whole<float>(6, 3);
  const auto right = in_columns<float>(b, 6);
  OnDevice<float> dt(in_columns<float>(triangle, 6)), db(right);
  cublasStrmm('L', 'L', 'T', 'N', 6, 3, 2, dt, 6, db, 6);
  compare_columns(db.get(), right, sum(2, times(after(CUBLAS_OP_T, triangle), b), 0, b), 6, 6, "Strmm");
  cublasStrsm('L', 'L', 'T', 'N', 6, 3, 0.5f, dt, 6, db, 6);
  compare_columns(db.get(), right, b, 6, 40, "Strsm");
  const Whole narrow_one = random_triangle<double>(6, 2, false, true);
  const Line<double> z(6, 1);
  OnDevice<double> band(in_band<double>(narrow_one, 0, 2, 3)), dz(z.values);
  cublasDtbmv('U', 'N', 'U', 6, 2, band, 3, dz, 1);
  compare_line(dz.get(), z, times(narrow_one, z.column()), 6, "Dtbmv");

  expect(cublasGetError() == CUBLAS_STATUS_SUCCESS, "no error");
  cublasCgemm('x', 'N', 5, 5, 6, {1, 1}, dn, 6, dn, 6, ComplexFloat(0), ds, 5);
  expect(cublasGetError() == CUBLAS_STATUS_INVALID_VALUE, "a letter that stands for nothing");
  expect(cublasGetError() == CUBLAS_STATUS_SUCCESS, "an error is told once");
  ok(cublasShutdown(), "Shutdown");
}

}  // namespace warpvp::test
