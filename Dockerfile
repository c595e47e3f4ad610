# syntax=docker/dockerfile:1
# The same steps as on any Debian: `make native`, `make build`. Build with
#   docker build --build-arg VERSION="$(git describe --tags --always --dirty)" -t fhirdeid .
# A site that must repeat a build byte by byte pins both images by digest.
FROM debian:12-slim AS build
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends make git ca-certificates gcc g++ libc6-dev python3 python3-pip cargo-web rustc-web \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY models/native models/native
COPY go.mod go.sum Makefile ./
RUN make native
COPY . .
ARG VERSION=unknown
RUN make build VERSION="$VERSION" && install -d -m 0700 /data

# cc: onnxruntime needs libstdc++. There is no shell in it.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/build/fhirdeid /src/build/libonnxruntime.so.1.24.3 /opt/fhirdeid/
COPY --from=build /src/models/packs /opt/fhirdeid/packs
COPY --from=build /src/LICENSE /src/NOTICE /opt/fhirdeid/
# The only place that is written to; the rest runs read-only (docker run --read-only --tmpfs /tmp).
COPY --from=build --chown=65532:65532 /data /data
ENV FHIRDEID_DATA_DIR=/data \
    FHIRDEID_LISTEN=0.0.0.0:8080 \
    FHIRDEID_ADMIN=0.0.0.0:9090
VOLUME /data
USER 65532:65532
EXPOSE 8080 9090
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s CMD ["/opt/fhirdeid/fhirdeid", "health"]
ENTRYPOINT ["/opt/fhirdeid/fhirdeid"]
CMD ["serve"]
