# Sourced by a shell before the command of an agent:  . overspill.sh DIRECTORY [SESSION [PROGRAM [AGENT [READERS]]]]
#
# From here on both outputs of the shell go through a pipe to `spill hook shell`, which keeps all of it and shows what
# fits when the shell ends. The command itself runs in this very shell, so `cd` and the status are what they would be.
# Where anything is missing, the command runs as if nothing had been asked.

[ "${OVERSPILL-}" != off ] && [ -n "${BASH_VERSION-}${ZSH_VERSION-}" ] || return 0
[ -z "${OVERSPILL_READ-}" ] || { unset OVERSPILL_READ; return 0; } # see the end
command -v "${3:-spill}" >/dev/null 2>&1 || return 0
[ ! -t 1 ] || return 0 # at a terminal somebody types, and waits for an answer before the shell ends

# By this line the reader knows what was run. Of one that only fetches what was kept it shows all, as that was fitted.
OVERSPILL_LINE="${BASH_EXECUTION_STRING-}${ZSH_EXECUTION_STRING-}"

# A reader of the session may be there (see cli/reader.py), with all loaded that looks at an output. It is asked by a
# pipe in a directory of the user's, and answers within a second, or is not waited for. A process of it then
# has three pipes: what is said, what is told of the command, and one that ends when all is shown.
_overspill_ask() {
  [ -n "${BASHPID-}" ] && [ -d /proc/self/fd ] || return 1
  local reader
  for reader in "${5-}"/shells-*; do
    { [ -p "$reader" ] && [ -O "$reader" ] && kill -0 "${reader##*-}"; } 2>/dev/null || continue
    exec 7<> <(:) 8>&1
    { printf '%-7s\n' "$BASHPID" 1<>"$reader"; } 2>/dev/null &&
      IFS=' ' read -r -t 1 -u 7 _overspill _overspill_out _overspill_told _overspill_done
    exec 7>&- 8>&-
    [ -z "${_overspill-}" ] || break
  done
  [ -n "${_overspill-}" ] || return 1
  _overspill=/proc/$_overspill/fd
  _overspill_told=$_overspill/$_overspill_told _overspill_done=$_overspill/$_overspill_done
  { exec >"$_overspill/$_overspill_out"; } 2>/dev/null || return 1
  exec 2>&1
  { printf '%s\0' "${1:-.}" "${2:--}" "${4:--}" "${OVERSPILL_LINE:--}"; command env -0; printf '\0'; } >"$_overspill_told"
}

_overspill_start() {
  # In a sandbox in which no file may be written, memory may.
  _overspill=$(mktemp -d "${TMPDIR:-/tmp}/spill.XXXXXXXX" 2>/dev/null || mktemp -d /dev/shm/spill.XXXXXXXX 2>/dev/null) ||
    return 1
  mkfifo -m 600 "$_overspill/out" 2>/dev/null || { rmdir "$_overspill"; return 1; }
  _overspill_told=$_overspill/status _overspill_done=/dev/fd/9
  : >|"$_overspill_told"

  # The reader is nobody's job, so that `wait` does not wait for it; descriptor 9 tells when it is done. A reader that
  # cannot start does not stop the command, and does not let through what nobody looked at. By descriptor 7 it is told
  # how the command ended, even if the file is gone by then.
  exec 8>&1
  exec 9< <( ( { {
    OVERSPILL_LINE="$OVERSPILL_LINE" "${3:-spill}" hook shell --in "$1" --session "${2:--}" --while "$_overspill" --agent "${4:--}" ||
      { echo "overspill: the output of this command could not be shown; see \`spill doctor\`"; cat >/dev/null; }
  } 7<"$_overspill/status" <"$_overspill/out" >&8; } & ) 2>/dev/null )
  exec >"$_overspill/out" 2>&1 8>&-
}
_overspill_ask "$@" || _overspill_start "$@" || return 0
unset -f _overspill_ask _overspill_start

# What was to be done at the end by whoever started the shell is still done: $3 of `trap -- CODE EXIT`.
_overspill_before=
[ -z "${BASH_VERSION-}" ] || _overspill_before=$(trap -p EXIT)

# The directory is there while the shell is: a process that was left behind may hold the pipe open for ever.
_overspill_over() {
  trap - EXIT
  { echo "$_overspill_status" >|"$_overspill_told"; } 2>/dev/null
  eval "set -- $_overspill_before"
  [ -z "${3-}" ] || { (exit "$_overspill_status"); eval "$3"; }
  exec >/dev/null 2>&1
  [[ $_overspill == /proc/* ]] || rm -rf "$_overspill"
  read -r _ <"$_overspill_done"
  exit "$_overspill_status"
}
# What the command set for itself (`set -e`, `set -x`) is not meant for us.
trap '{ _overspill_status=$?; set +eux; } 2>/dev/null; _overspill_over' EXIT

# A command that puts another program or other last words in the place of the shell's (`docker exec` does not) cannot be
# followed to its end from inside: the same line runs in a shell of its own.
_overspill_own=$'(^|[;&|({\'"`\n]|[[:space:]](if|then|else|do))[[:space:]]*(exec|trap)[[:space:]]'
if [[ ${OVERSPILL_LINE##*overspill.sh} =~ $_overspill_own ]]; then
  OVERSPILL_READ=1 "${BASH:-zsh}" -c "$OVERSPILL_LINE"
  exit $?
fi
unset OVERSPILL_LINE
