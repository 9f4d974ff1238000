#!/usr/bin/env bash
# Runs a command beside a Docker engine with images made on this machine, where none can be pulled:
#   docker/local.sh make test-container
# For root on Debian. Takes the engine that answers, else installs and starts one of its own, with a socket and data of
# its own and loopback ports only, and ends that one. Exit status 69: no engine could be had, and the command did not run.
set -euo pipefail
cd "$(dirname "$0")/.."

STATE=${LOCAL_DOCKER:-/var/lib/graph-memory-docker}
AUTHORITIES=/etc/ssl/certs/ca-certificates.crt
BASE=graph-memory-base NEO4J_IMAGE=graph-memory-neo4j PROMETHEUS_IMAGE=graph-memory-prometheus
# A release of Debian with a package of Docker Compose 2. Its program also runs on the release before.
COMPOSE_RELEASE=trixie
engine='' bridge_was=''

main() {
  [ "$(id -u)" = 0 ] || give_up "only root can make a base image and start an engine"
  trap end_engine EXIT
  mkdir -p "$STATE"
  make --silent setup
  docker info >/dev/null 2>&1 || start_engine
  docker compose version >/dev/null 2>&1 || fetch_compose || give_up "Docker Compose could not be fetched"
  docker image inspect "$BASE" >/dev/null 2>&1 || make_base
  docker run --rm --publish 127.0.0.1::9 "$BASE" true || give_up "the engine runs no container"
  .venv/bin/python docker/neo4j/build.py "$NEO4J_IMAGE" "$BASE" || give_up "the image of Neo4j could not be made"
  docker build --quiet --tag graph-memory --network host --build-arg BASE="$BASE" --file docker/Dockerfile . \
    || give_up "the image of the service could not be made"
  make_prometheus || give_up "the image of Prometheus could not be made"
  export BASE NEO4J_IMAGE PROMETHEUS_IMAGE
  export TESTCONTAINERS_RYUK_DISABLED=true # Ryuk, which cleans up after a crash, is an image too
  # This machine may look like a container itself, and its ports are at loopback all the same.
  export TESTCONTAINERS_CONNECTION_MODE=docker_host TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1
  "$@"
}

start_engine() {
  if ! command -v dockerd >/dev/null; then
    install_packages docker.io || give_up "docker.io could not be installed"
    docker info >/dev/null 2>&1 && return # the package started it
  fi
  export DOCKER_HOST=unix://$STATE/socket
  bridge_was=$(ip -brief link show docker0 2>/dev/null || true)
  dockerd --host "$DOCKER_HOST" --data-root "$STATE/data" --exec-root "$STATE/run" --pidfile "$STATE/pid" \
    --iptables=false --ip-forward=false --ip 127.0.0.1 >"$STATE/log" 2>&1 &
  engine=$!
  for _ in $(seq 60); do
    docker info >/dev/null 2>&1 && return
    kill -0 "$engine" 2>/dev/null || break
    sleep 0.5
  done
  tail -5 "$STATE/log" >&2
  give_up "dockerd does not run here"
}

end_engine() {
  [ -n "$engine" ] || return 0
  docker image prune --force >/dev/null 2>&1 || true
  kill "$engine" 2>/dev/null && wait "$engine" || true
  umount "$STATE/run/netns/default" 2>/dev/null || true
  [ -n "$bridge_was" ] || ip link delete docker0 2>/dev/null || true
}

# A small Debian with Python, and with the authorities that this machine trusts: pip needs them inside.
make_base() {
  command -v debootstrap >/dev/null || install_packages debootstrap || give_up "debootstrap could not be installed"
  local root
  root=$(mktemp -d -p "$STATE")
  debootstrap --variant=minbase --include=ca-certificates,python3,python3-venv \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" >"$STATE/debootstrap.log" 2>&1 \
    || give_up "no base image could be made, see $STATE/debootstrap.log"
  cp --dereference "$AUTHORITIES" "$root$AUTHORITIES"
  tar -C "$root" -c --exclude='./var/cache/apt/*' --exclude='./var/lib/apt/lists/*' --exclude='./usr/share/doc/*' \
    --exclude='./usr/share/locale/*' --exclude='./usr/share/man/*' . \
    | docker import --change "ENV PIP_CERT=$AUTHORITIES SSL_CERT_FILE=$AUTHORITIES" - "$BASE" >/dev/null
  rm -rf "$root"
}

# Debian's Prometheus, with the user, folder and programs of the official image that compose.yaml needs.
make_prometheus() {
  docker build --quiet --tag "$PROMETHEUS_IMAGE" --network host - <<END
FROM $BASE
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends prometheus wget >/dev/null \
    && rm -rf /var/lib/apt/lists/* && mkdir /prometheus && chown nobody /prometheus
USER nobody
WORKDIR /prometheus
VOLUME /prometheus
ENTRYPOINT ["prometheus"]
END
}

# Takes the package from the mirror of this machine, but installs nothing: the program is a plug-in of this script's Docker.
fetch_compose() {
  export DOCKER_CONFIG=$STATE/docker
  docker compose version >/dev/null 2>&1 && return
  local folder=$STATE/compose mirror
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -1)
  mkdir -p "$folder/lists/partial" "$DOCKER_CONFIG/cli-plugins"
  echo "deb $mirror $COMPOSE_RELEASE main" >"$folder/sources.list"
  (
    cd "$folder"
    set -- -qq -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$PWD/lists"
    apt-get "$@" update && apt-get "$@" download docker-compose 2>/dev/null && dpkg --extract docker-compose_*.deb .
  ) && mv "$folder/usr/libexec/docker/cli-plugins/docker-compose" "$DOCKER_CONFIG/cli-plugins/" && rm -r "$folder"
}

install_packages() {
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

give_up() {
  echo "docker/local.sh: $1." >&2
  exit 69
}

main "$@"
