# syntax=docker/dockerfile:1
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends make git ca-certificates gcc g++ libc6-dev python3 python3-pip cargo-web rustc-web && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY models/native models/native
COPY go.mod go.sum Makefile ./
RUN make native
COPY . .
RUN make build && mkdir -p /data

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /src/build/fhirdeid /src/build/libonnxruntime.so.1.24.3 /opt/fhirdeid/
COPY --from=build /src/models/packs /opt/fhirdeid/packs
COPY --from=build /src/LICENSE /src/NOTICE /opt/fhirdeid/
# The only place that is written to: run with --read-only and a volume or tmpfs here.
COPY --from=build --chown=65532:65532 /data /data
ENV FHIRDEID_DATA_DIR=/data
VOLUME /data
USER 65532:65532
EXPOSE 8080 9090
HEALTHCHECK --interval=15s --timeout=3s --start-period=20s CMD ["/opt/fhirdeid/fhirdeid", "health"]
ENTRYPOINT ["/opt/fhirdeid/fhirdeid"]
CMD ["serve"]
