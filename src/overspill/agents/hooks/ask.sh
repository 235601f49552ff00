# Asks a reader of the session (see cli/reader.py) about the event of a hook, which it reads where the hook would:
#
#   [ -r ask.sh ] && . ask.sh AGENT || spill hook AGENT                                   in bash: no process is started
#   [ -r ~/.cache/overspill/ask.sh ] && bash ~/.cache/overspill/ask.sh AGENT spill || spill hook AGENT     anywhere else
#
# Where none says within a second that it has taken the event, nothing has happened, and the hook goes on with `spill`.
# One that takes it says first what is to be answered if it dies: it cannot give the event back.

[ -n "${BASHPID-}" ] && [ -d /proc/self/fd ] && [ ! -t 0 ] || return 1 2>/dev/null || exit 1
for _overspill in "${XDG_CACHE_HOME:-$HOME/.cache}"/overspill/hooks-*; do
  { [ -p "$_overspill" ] && [ -O "$_overspill" ] && kill -0 "${_overspill##*-}"; } 2>/dev/null || continue
  exec 7<> <(:) 8>&1
  { printf '%-7s\n' "$BASHPID" 1<>"$_overspill"; } 2>/dev/null && IFS= read -r -t 1 -u 7 _overspill_taken
  if [ -n "${_overspill_taken-}" ]; then
    exec 7</dev/fd/7 # by another descriptor than that for both, so that it ends when the reader does
    read -r -t 25 -u 7 _ || printf '%s\n' "$_overspill_taken"
    exit 0
  fi
  exec 7>&- 8>&-
done
return 1 2>/dev/null || exit 1
