# The two commands of README.md on a bare Debian 12:
#   docker build -t warpvp .          does `make demo`
#   docker run --rm warpvp            does `make test`
#   docker run --rm warpvp build/release/warpvp run matmul
FROM debian:12
RUN apt-get update && apt-get install -y --no-install-recommends git make
COPY . /warpvp
WORKDIR /warpvp
RUN make demo
CMD ["make", "test"]
