#!/bin/sh
# Proves that the packages do what docs/installing.md says, in a bare Debian that boots with systemd: install,
# answer, upgrade, remove, purge; and the wheel in a bare virtual environment of an ordinary user.
#
# usage: prove_install.sh bookworm|trixie|noble PACKAGES     (as root; needs debootstrap, systemd-container)
#
# PACKAGES is the folder of ./dev package. Without a .deb of that release in it, the wheel and the tarball alone are
# proved. The upgrade is from the same package with a lower version.
# noble is Ubuntu 24.04, which gets the wheel and the tarball alone; UBUNTU_MIRROR is where it comes from, and
# UBUNTU_KEYRING the file with its keys (of Debian's package ubuntu-keyring).
# The bare system is kept as a tarball in ${LOCKSTEP_BARE:-/var/tmp/lockstep-bare}, for the next time.
set -eu

fail() {
  printf 'prove_install: %s\n' "$*" >&2
  exit 1
}

usage='prove_install.sh bookworm|trixie|noble PACKAGES'
case "${1:-} $#" in
  'bookworm 2') release=12 ;;
  'trixie 2') release=13 ;;
  'noble 2') release= ;;
  *) fail "usage: $usage" ;;
esac
suite=$1 packages=$(realpath "$2")
[ "$(id -u)" = 0 ] || fail "needs root: it boots a system of its own in a folder."
for program in debootstrap systemd-nspawn nsenter; do
  command -v "$program" >/dev/null || fail "$program is missing: apt-get install debootstrap systemd-container."
done
newer=
[ -z "$release" ] || newer=$(ls "$packages"/lockstep_*+deb"$release"_amd64.deb) ||
  printf '%s has no .deb for Debian %s: the wheel and the tarball alone.\n' "$packages" "$release"
if [ -n "$newer" ]; then
  agent=$(ls "$packages"/lockstep-agent_*_all.deb) || fail "$packages has no .deb of the agent."
fi
wheel=$(ls "$packages"/lockstep_server-*.whl) || fail "$packages has no wheel."
tarball=$(ls "$packages"/lockstep-*-linux-x86_64.tar.gz) || fail "$packages has no tarball."
kept=${LOCKSTEP_BARE:-/var/tmp/lockstep-bare}
bare=$(mktemp -d "${TMPDIR:-/tmp}/lockstep-$suite.XXXXXX")
nspawn=

cleanup() {
  # shellcheck disable=SC2086  # empty means no process
  [ -z "$nspawn" ] || { kill $nspawn && wait $nspawn; } 2>/dev/null || true
  rm -rf --one-file-system "$bare" "$bare".*
}
trap cleanup EXIT
trap 'exit 1' INT TERM

say() {
  printf '\n==> %s\n' "$*"
}

debian_site() {
  site=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' |
    grep -v security | head -n 1)
  [ -n "$site" ] || fail "found no Debian mirror: run apt-get update first."
  echo "$site"
}

unpack_bare_system() {
  if [ ! -e "$kept/$suite.tar" ]; then
    say "debootstrap $suite"
    case $suite in
      noble) set -- --components=main,universe --keyring="$UBUNTU_KEYRING" "$suite" "$bare" \
        "$UBUNTU_MIRROR" /usr/share/debootstrap/scripts/gutsy ;;
      *) set -- "$suite" "$bare" "$(debian_site)" ;;
    esac
    debootstrap --variant=minbase --include=systemd,systemd-sysv,ca-certificates "$@" >"$bare.log" ||
      fail "debootstrap failed: see $bare.log."
    mkdir -p "$kept"
    tar -C "$bare" --numeric-owner -cf "$kept/$suite.tar.part" .
    mv "$kept/$suite.tar.part" "$kept/$suite.tar"
  else
    tar -C "$bare" -xf "$kept/$suite.tar"
  fi
}

# The package as it is, but with a version that any other is newer than.
make_older_package() {
  older=$bare.older.deb
  dpkg-deb --raw-extract "$newer" "$bare.older"
  sed -i 's/^Version: .*/Version: 0.0.1/' "$bare.older/DEBIAN/control"
  dpkg-deb --root-owner-group --build "$bare.older" "$older" >"$bare.log"
}

# The booted system has no network but its loopback, so its port 9009 is its own: what apt needs is fetched before.
fetch_dependencies() {
  cp /etc/resolv.conf "$bare/etc/resolv.conf"
  mkdir "$bare/packages"
  if [ -n "$newer" ]; then
    make_older_package
    cp "$newer" "$bare/packages/newer.deb"
    cp "$older" "$bare/packages/older.deb"
    cp "$agent" "$bare/packages/agent.deb"
  fi
  cp "$wheel" "$tarball" "$bare/packages/"
  mount -t proc proc "$bare/proc"
  chroot "$bare" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    http_proxy="${http_proxy:-}" sh -ec '
      apt-get -qq update
      apt-get -qq install -y --no-install-recommends curl procps python3-venv >/dev/null
      [ ! -e /packages/newer.deb ] ||
        apt-get -qq install -y --download-only -o APT::Keep-Downloaded-Packages=true /packages/newer.deb' ||
    fail "could not fetch what the package depends on."
  umount "$bare/proc"
}

boot() {
  # Newer systemd runs in control groups of version 2 alone.
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 systemd-nspawn --quiet --register=no --keep-unit --private-network \
    --directory="$bare" --boot >"$bare.boot.log" 2>&1 &
  nspawn=$!
  leader=
  for _ in $(seq 100); do
    leader=$(cat "/proc/$nspawn/task/$nspawn/children" 2>/dev/null | tr -d ' ')
    [ -z "$leader" ] || ! inside 'systemctl is-system-running' 2>/dev/null | grep -qE 'running|degraded' || return 0
    sleep 0.3
  done
  tail "$bare.boot.log" >&2
  fail "the bare $suite did not boot."
}

# inside SHELL-TEXT: runs it in the booted system.
inside() {
  nsenter --target "$leader" --mount --uts --ipc --pid --net --root /usr/bin/env -i \
    PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive sh -ec "cd /; $1"
}

# Everything on the disk but what apt and the running system write by themselves.
files() {
  inside 'find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /dev -o -path /packages \
    -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg/info \
    -o -path /var/lib/systemd -o -path /var/tmp \) -prune -o -print | sort'
}

check() {
  words=$1
  shift
  "$@" >"$bare.check" 2>&1 || {
    cat "$bare.check" >&2
    inside 'systemctl status lockstep; journalctl -u lockstep -n 30 --no-pager' >&2 || true
    fail "$suite: not so: $words"
  }
  printf 'yes: %s\n' "$words"
}

refused() {
  ! "$@"
}

answers() {
  inside 'curl -fsS --retry 20 --retry-connrefused --retry-delay 1 "http://127.0.0.1:9009/api/v1/query?query=last_over_time(proof_value%5B1h%5D)" |
    grep -F "\"42\""'
}

is_active() {
  inside 'systemctl is-active lockstep && [ "$(ps -o user= -p "$(systemctl show -P MainPID lockstep)")" = lockstep ]'
}
prove_package() {
  files >"$bare.before"
  say "apt install ./lockstep_*.deb, an older version"
  inside 'apt-get -q -y install /packages/older.deb' | tail -n 3
  check "the service is active, as the user lockstep" is_active
  inside 'curl -fsS "http://127.0.0.1:9009/-/healthy"; systemctl show -p Type,SubState,NRestarts lockstep'
  inside 'systemd-analyze security lockstep --no-pager' | tail -n 1
  inside 'printf "proof_value 42 %s\n" "$(date +%s%3N)" |
    lockstep import --to http://127.0.0.1:9009 --format prometheus -'
  check "curl is answered what was written" answers
  inside 'sed -i "s/time: 15d/time: 30d/" /etc/lockstep/lockstep.yml'

  say "the agent's package beside it"
  inside 'apt-get -q -y install /packages/agent.deb' | tail -n 1
  check "the agent is active" inside 'systemctl is-active lockstep-agent'
  check "and the server has its samples" inside 'for _ in $(seq 30); do
    ! curl -fsS "http://127.0.0.1:9009/api/v1/query?query=lockstep_agent_cpu_seconds_total" | grep -F instance || exit 0
    sleep 1
  done
  exit 1'

  say "upgrade"
  inside 'apt-get -q -y install /packages/newer.deb' | tail -n 3
  printf '%s -> %s\n' "$(dpkg-deb -f "$older" Version)" "$(dpkg-deb -f "$newer" Version)"
  check "the service is active again" is_active
  check "the data are still there" answers
  check "the administrator's configuration is kept" inside 'grep -F "time: 30d" /etc/lockstep/lockstep.yml'
  check "a stop is clean and quick" inside 'systemctl stop lockstep && [ "$(systemctl show -P Result lockstep)" = success ]'
  check "and it starts again" inside 'systemctl start lockstep && systemctl is-active lockstep'

  say "remove"
  inside 'apt-get -q -y remove lockstep' | tail -n 1
  check "no server is left running" refused inside 'pgrep -x lockstep'
  check "data and configuration stay" inside '[ -d /var/lib/lockstep ] && [ -n "$(ls -A /var/lib/lockstep)" ] && [ -e /etc/lockstep/lockstep.yml ]'
  inside 'apt-get -q -y install /packages/newer.deb' | tail -n 1
  check "after a new installation the data answer" answers

  say "purge"
  inside 'apt-get -q -y purge --autoremove lockstep lockstep-agent' | tail -n 1
  check "the user is gone" refused inside 'getent passwd lockstep'
  check "data and configuration are gone" refused inside 'ls -d /var/lib/lockstep /etc/lockstep'
  files >"$bare.after"
  diff "$bare.before" "$bare.after" >"$bare.difference" || true
  cat "$bare.difference"
  check "no file named lockstep is left" refused grep -qi lockstep "$bare.difference"
}

prove_wheel() {
  say "pip install ./lockstep_server-*.whl in a bare environment of an ordinary user"
  inside 'useradd --create-home --shell /bin/sh somebody'
  inside 'su - somebody -c "python3 -m venv venv && venv/bin/pip install --quiet --no-index /packages/lockstep_server-*.whl"'
  check "the program runs" inside 'su - somebody -c "venv/bin/lockstep version"'
  if inside 'su - somebody -c "venv/bin/lockstep demo --help"' >/dev/null 2>&1; then
    say "lockstep demo"
    inside 'su - somebody -c "timeout --signal=INT --kill-after=25 15 venv/bin/lockstep demo </dev/null"' | head -n 30 || true
  fi
  check "the server answers" inside 'su - somebody -c "
    venv/bin/lockstep serve --data data >log 2>&1 & server=\$!
    curl -fsS --retry 20 --retry-connrefused --retry-delay 1 http://127.0.0.1:9009/-/ready
    kill \$server; wait \$server"'
}

prove_tarball() {
  say "the tarball, unpacked by an ordinary user"
  inside 'su - somebody -c "tar -xzf /packages/lockstep-*-linux-x86_64.tar.gz"'
  check "the program runs" inside 'su - somebody -c "lockstep-*/bin/lockstep version"'
  check "it needs glibc alone" refused inside 'su - somebody -c "ldd lockstep-*/bin/lockstep" |
    grep -vE "linux-vdso|libc\.so|libm\.so|ld-linux"'
}

unpack_bare_system
# Or the service's user could not even enter /.
chmod 755 "$bare"
fetch_dependencies
boot
inside '. /etc/os-release; echo "$PRETTY_NAME"; systemctl --version | head -n 1'
[ -z "$newer" ] || prove_package
prove_wheel
prove_tarball
say "all of this holds on a bare $suite"
