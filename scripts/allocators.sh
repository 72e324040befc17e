# shellcheck shell=bash
# The options --allocator and --yes, and installing jemalloc with the machine's package manager.
# Sourced after lib.sh.

# read_options "$@": takes --yes and --allocator out of the arguments and leaves the rest in `passed`.
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
  *) fail 64 "unknown allocator '$allocator'; allowed are jemalloc, system and both" ;;
  esac
}

# settle_allocator CONSEQUENCE: sees to jemalloc if `allocator` needs it; where it is missing and
# stays so, `allocator` becomes system, and one line says the consequence and the reason.
settle_allocator() {
  [[ $allocator != system ]] || return 0
  install_jemalloc_if_missing "$assume_yes" || {
    say "$1: $why_no_jemalloc."
    allocator=system
  }
}

# install_jemalloc_if_missing true|false: prints the command first, asks on a terminal unless told
# true, and never asks where there is no terminal. Fails where jemalloc stays missing, and leaves the
# reason in `why_no_jemalloc`.
install_jemalloc_if_missing() {
  local assume_yes=$1 command
  ! has_jemalloc || return 0
  why_no_jemalloc="jemalloc is missing and nothing here can install it"
  command=$(jemalloc_install_command) || return 1
  say "jemalloc is missing; this installs it: $command"
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
  # Homebrew's headers lie where no compiler looks.
  read -r -a flags < <(pkg-config --cflags jemalloc 2>/dev/null) || true
  "$compiler" ${flags[@]+"${flags[@]}"} -fsyntax-only -x c - 2>/dev/null \
    <<<'#include <jemalloc/jemalloc.h>'
}

# The command for this machine; fails where there is no known package manager or no way to be root.
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

# What makes a command root's: nothing for root, else sudo, which may ask for a password only on a
# terminal.
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

# On a new Debian machine the lists of packages are empty, on an old one out of date.
run_install_command() {
  local command=$1 update=${1%%apt-get*}"apt-get update"
  case $command in
  *apt-get*)
    if apt-cache show libjemalloc-dev >/dev/null 2>&1 && alone $command; then return 0; fi
    say "The lists of packages may be old; this renews them: $update"
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
