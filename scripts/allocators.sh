# shellcheck shell=bash The options --allocator and --yes, and functions that install jemalloc with
# the machine's package manager. Source it after lib.sh.

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
  jemalloc | system | both) ;;
  *) fail 64 "unknown allocator '$allocator' (allowed: jemalloc, system, both)" ;;
  esac
}

# settle_allocator CONSEQUENCE: installs jemalloc if `allocator` needs it and it is missing. If that
# fails, sets `allocator` to system and prints one line with the consequence and the reason.
settle_allocator() {
  [[ $allocator != system ]] || return 0
  install_jemalloc_if_missing "$assume_yes" || {
    say "$1: $why_no_jemalloc."
    allocator=system
  }
}

# install_jemalloc_if_missing true|false: prints the command and runs it. Asks first on a terminal,
# unless the argument is true. Fails if jemalloc is still missing, with the reason in
# `why_no_jemalloc`.
install_jemalloc_if_missing() {
  local assume_yes=$1 command
  ! has_jemalloc || return 0
  why_no_jemalloc="jemalloc is missing and this machine has no known package manager for it"
  command=$(jemalloc_install_command) || return 1
  say "jemalloc is missing; this command installs it: $command"
  if [[ $assume_yes != true ]] && on_terminal; then
    why_no_jemalloc="jemalloc is missing and was not installed"
    confirm "Install it now?" || return 1
  fi
  why_no_jemalloc="jemalloc is missing and could not be installed"
  run_install_command "$command" </dev/null >&2 && has_jemalloc
}

has_jemalloc() {
  local compiler flags=()
  compiler=$(command -v clang || command -v cc) || return 1
  # Homebrew's headers are outside of the compiler's search path.
  read -r -a flags < <(pkg-config --cflags jemalloc 2>/dev/null) || true
  "$compiler" ${flags[@]+"${flags[@]}"} -fsyntax-only -x c - 2>/dev/null \
    <<<'#include <jemalloc/jemalloc.h>'
}

# Prints the command for this machine. Fails without a known package manager, or without a way to be
# root.
jemalloc_install_command() {
  local sudo
  if can_run apt-get; then
    sudo=$(root_prefix) && echo "${sudo}apt-get install --yes libjemalloc-dev"
  elif can_run dnf; then
    sudo=$(root_prefix) && echo "${sudo}dnf install --assumeyes jemalloc-devel"
  elif can_run apk; then
    sudo=$(root_prefix) && echo "${sudo}apk add jemalloc-dev"
  elif can_run brew; then
    echo "brew install jemalloc"
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

# Runs the command. On Debian, updates the package lists if they are empty or outdated.
run_install_command() {
  local command=$1 update=${1%%apt-get*}"apt-get update"
  case $command in
  *apt-get*)
    if apt-cache show libjemalloc-dev >/dev/null 2>&1 && alone $command; then return 0; fi
    say "The package lists may be outdated; this command updates them: $update"
    alone $update && alone $command
    ;;
  *) alone $command ;;
  esac
}

on_terminal() { [[ -t 0 && -t 2 && -z ${CI-} ]]; }

can_run() { command -v "$1" >/dev/null; }

confirm() {
  local answer
  read -r -p "$1 [Y/n] " answer || return 1
  [[ -z $answer || $answer == [yY]* ]]
}
