# An image that grades: docker build -t a1-harness .   docker run --rm -v "$PWD:/course" a1-harness grade …
FROM python:3.12-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN python -m pip install --no-cache-dir --no-compile -c constraints.txt build \
 && python -m build --wheel --outdir /wheel .

FROM python:3.12-slim-bookworm
RUN apt-get update \
 && apt-get install -y --no-install-recommends libseccomp2 bubblewrap \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /source/constraints.txt /wheel/*.whl /tmp/wheel/
RUN python -m pip install --no-cache-dir -c /tmp/wheel/constraints.txt "$(ls /tmp/wheel/*.whl)[review]" \
 && rm -r /tmp/wheel \
 && useradd --create-home grader
USER grader
WORKDIR /course
ENTRYPOINT ["harness"]
CMD ["--help"]
