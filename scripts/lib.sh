# shellcheck shell=bash
# Functions that the scripts share: messages, failures, builds and test runs.
# Source it. It does not change the directory, so relative paths remain valid.

root=$(CDPATH='' cd -- "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

# fail STATUS MESSAGE: exits with a status of the programs: 1 found something, 2 could not do the
# work, 64 usage error.
fail() {
  say "$(basename "$0"): $2"
  exit "$1"
}

# Prints the comment at the head of the script if the first argument is --help.
answer_help() {
  case ${1-} in
  -h | --help)
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
  esac
}

# answer_only_help "$@": the same for a script without other options.
answer_only_help() {
  answer_help "$@"
  (($# == 0)) || fail 64 "unknown argument '$1' (allowed: --help)"
}

# Runs a command and prints its output to standard error only if the command fails; the status is
# then 2.
quietly() {
  local output
  output=$("$@" 2>&1) || {
    printf '%s\n' "$output" >&2
    return 2
  }
}

# within SECONDS COMMAND…: kills a command at its time limit, after a report of its threads.
within() { "$root/scripts/within" "$@"; }

# alone COMMAND…: runs a command while no other script installs packages, because package managers
# fail otherwise.
alone() {
  if command -v flock >/dev/null; then
    flock "${TMPDIR:-/tmp}/weak-collections.installing" "$@"
  else
    "$@"
  fi
}

# install_packages PACKAGE…: installs packages with apt-get, as root.
install_packages() {
  local install=(apt-get install --yes --no-install-recommends "$@") update=(apt-get update)
  if ((EUID != 0)); then install=(sudo -n "${install[@]}") update=(sudo -n "${update[@]}"); fi
  quietly alone "${update[@]}" && quietly alone "${install[@]}"
}

# build_program NAME jemalloc|system|any|TRAIT,…: builds an executable in release and prints the
# path of its binary. The second argument selects the trait Jemalloc, no trait, any existing build,
# or a list of traits. Each set of traits has its own scratch path. If a variable with the name in
# capitals, such as WEAKBENCH, has the path of a binary, prints that path and builds nothing.
build_program() {
  local name=$1 traits=$2 given=${1^^}
  if [[ -n ${!given-} ]]; then
    printf '%s\n' "${!given}"
    return
  fi
  case $2 in
  jemalloc) traits=Jemalloc ;;
  system) traits='' ;;
  any)
    for traits in Jemalloc,Peers Jemalloc ''; do
      [[ ! -d $(scratch_path_of "$traits") ]] || break
    done
    ;;
  esac
  local options=(--package-path "$root" -c release --product "$name")
  options+=(--scratch-path "$(scratch_path_of "$traits")" ${traits:+--traits "$traits"})
  say "Building $name (release${traits:+, $traits}); a first build takes some minutes…"
  quietly swift build "${options[@]}" || return 2
  printf '%s/%s\n' "$(swift build "${options[@]}" --show-bin-path)" "$name"
}

# scratch_path_of TRAITS: prints the scratch path of a release build with these traits.
scratch_path_of() { printf '%s/.build-%s\n' "$root" "$(tr 'A-Z,' 'a-z-' <<<"${1:-release}")"; }

# run_tests VARIANT [build options…] -- [test options…]: builds the tests in the scratch path
# .build-VARIANT, quietly, and runs them. A run without a test fails, so that an outdated filter is
# noticed. The command in `around` starts the run. After `only_targets TARGET…` the build has only
# these test targets. If `halves` is not empty, two processes run at the same time: the tests that
# match it, and all others.
around=() halves=''
only_targets() { export WEAK_COLLECTIONS_TESTS="$*"; }
run_tests() { run_tests_of "$root" "$@"; }

# run_tests_of PACKAGE VARIANT …: those of a package in this one, in its own .build-VARIANT.
run_tests_of() {
  local package=$1 variant=$2 log status=0
  shift 2
  local options=(--package-path "$package" --scratch-path "$package/.build-$variant")
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  say "Building the tests ($variant)…"
  quietly swift build --build-tests "${options[@]}" || return 2
  log=$(mktemp)
  # `--ignore-lock`: the halves build nothing, and so need not wait for each other.
  local run=(${around[@]+"${around[@]}"} swift test "${options[@]}" --skip-build --ignore-lock "$@")
  if [[ -n $halves ]]; then
    "${run[@]}" --filter "$halves" >"$log.half" 2>&1 &
    local half=$!
    # A process in the background ignores an interruption.
    trap 'kill "$half"; exit 130' INT TERM
    "${run[@]}" --skip "$halves" 2>&1 | tee "$log" || status=$?
    wait "$half" || status=$?
    trap - INT TERM
    tee -a "$log" <"$log.half"
    rm "$log.half"
  else
    "${run[@]}" 2>&1 | tee "$log" || status=$?
  fi
  if ((status == 0)) && ! grep -qE '(Test run with|Executed) [1-9]' "$log"; then
    say "$(basename "$0"): no test ran"
    status=1
  fi
  ((slowest == 0)) || slowest_tests "$slowest" <"$log" >&2
  rm -f "$log"
  return "$status"
}

# How many of the slowest tests a run of tests lists after its end.
slowest=0

# slowest_tests N: prints the N slowest tests of the log on standard input, with their seconds.
slowest_tests() {
  printf 'The %d slowest tests, in seconds:\n' "$1"
  sed -nE '/ Test run with /d; s/^[^ ]+ +Test (.+) (passed|failed) after ([0-9.]+) seconds.*/\3 \1/p' |
    LC_ALL=C sort -rn | awk -v n="$1" 'NR <= n { s = $1; sub(/^[^ ]+ /, ""); printf "%8.1f  %s\n", s, $0 }'
}
