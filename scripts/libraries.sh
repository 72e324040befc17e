# shellcheck shell=bash
# Functions that install what a build of the benchmark uses if it is there: jemalloc, and the maps
# of other languages. Source it after lib.sh.

# read_options "$@": parses --yes and --allocator, and stores the other arguments in `passed`.
read_options() {
  allocator=jemalloc assume_yes=false passed=()
  while (($#)); do
    case $1 in
    --yes) assume_yes=true ;;
    --allocator=*) allocator=${1#*=} ;;
    --allocator)
      allocator=${2-}
      shift $(($# > 1))
      ;;
    --)
      shift
      passed+=("$@")
      break
      ;;
    *) passed+=("$1") ;;
    esac
    shift
  done
  case $allocator in
  jemalloc | system) ;;
  *) fail 64 "unknown allocator '$allocator' (allowed: jemalloc, system)" ;;
  esac
}

# settle_allocator CONSEQUENCE: installs jemalloc if `allocator` needs it and it is missing. If that
# fails, sets `allocator` to system and prints one line with the consequence and the reason. The
# names of builds without jemalloc end in `suffix`.
settle_allocator() {
  if [[ $allocator == jemalloc ]] &&
    ! install_if_missing jemalloc has_jemalloc libjemalloc-dev jemalloc-devel jemalloc-dev jemalloc
  then
    say "$1: $why_missing."
    allocator=system
  fi
  suffix=''
  [[ $allocator == jemalloc ]] || suffix=-system
}

# settle_peers: installs the maps of other languages if they are missing, and stores in `peers` the
# name of the build that has all that is there.
settle_peers() {
  peers=bench-peers
  [[ $allocator == jemalloc ]] || peers=bench-system
  install_if_missing "The maps of other languages" has_peers 'libtbb-dev liburcu-dev' '' '' '' || {
    say "Running without TBB, liburcu and std::shared_mutex: $why_missing."
    [[ $peers != bench-peers ]] || peers=bench
  }
}

has_jemalloc() {
  local compiler flags=()
  compiler=$(command -v clang || command -v cc) || return 1
  # Homebrew's headers are outside of the compiler's search path.
  read -r -a flags < <(pkg-config --cflags jemalloc 2>/dev/null) || true
  "$compiler" ${flags[@]+"${flags[@]}"} -fsyntax-only -x c - 2>/dev/null \
    <<<'#include <jemalloc/jemalloc.h>'
}

# Succeeds if the compiler finds the headers of both libraries.
has_peers() {
  local compiler
  compiler=$(command -v clang++ || command -v c++) || return 1
  "$compiler" -fsyntax-only -std=c++17 -x c++ - 2>/dev/null \
    <<<$'#include <tbb/concurrent_hash_map.h>\n#include <urcu/urcu-memb.h>\n#include <urcu/rculfhash.h>'
}

# install_if_missing NAME CHECK DEBIAN FEDORA ALPINE HOMEBREW: if CHECK fails, prints the command
# that installs the packages with these names and runs it. Asks first on a terminal, except after
# --yes. Fails if CHECK still fails, with the reason in `why_missing`.
install_if_missing() {
  local name=$1 check=$2 command update
  ! "$check" || return 0
  why_missing="$name is missing, and this machine has no known package manager for it"
  command=$(install_command "${@:3}") || return 1
  say "$name is missing; this command installs it: $command"
  if [[ ${assume_yes-} != true ]] && on_terminal; then
    why_missing="$name is missing and was not installed"
    confirm "Install it now?" || return 1
  fi
  why_missing="$name is missing and could not be installed"
  # Debian's lists of packages may be empty or outdated.
  update=${command%%apt-get*}"apt-get update"
  # shellcheck disable=SC2086 # A command of words without spaces.
  {
    if [[ $command == *apt-get* ]]; then alone $update; fi
    alone $command
  } </dev/null >&2
  "$check"
}

# Prints the command for this machine. Fails without a known package manager, or without a way to be
# root.
install_command() {
  local sudo
  if can_run apt-get && [[ -n $1 ]]; then
    sudo=$(root_prefix) && echo "${sudo}apt-get install --yes $1"
  elif can_run dnf && [[ -n $2 ]]; then
    sudo=$(root_prefix) && echo "${sudo}dnf install --assumeyes $2"
  elif can_run apk && [[ -n $3 ]]; then
    sudo=$(root_prefix) && echo "${sudo}apk add $3"
  elif can_run brew && [[ -n $4 ]]; then
    echo "brew install $4"
  else
    return 1
  fi
}

# Prints the prefix that runs a command as root: nothing for root, or else sudo, which may ask for a
# password only on a terminal.
root_prefix() {
  if (($(id -u) == 0)); then
    echo ""
  elif can_run sudo && on_terminal; then
    echo "sudo "
  elif can_run sudo && sudo -n true 2>/dev/null; then
    echo "sudo -n "
  else
    return 1
  fi
}

on_terminal() { [[ -t 0 && -t 2 && -z ${CI-} ]]; }

can_run() { command -v "$1" >/dev/null; }

confirm() {
  local answer
  read -r -p "$1 [Y/n] " answer || return 1
  [[ -z $answer || $answer == [yY]* ]]
}
