# Sourced by the shell in which an agent runs a hook:  [ -r ask.sh ] && . ask.sh AGENT || spill hook AGENT
#
# Lets a reader of the session (see cli/reader.py) answer the event on standard input, which it opens itself: so no
# process is started for it. Where none says within a second that it has taken the event, nothing has happened, and the
# hook goes on with `spill`. One that has taken it and dies cannot give it back: then the result is withheld.

[ -n "${BASHPID-}" ] && [ -d /proc/self/fd ] && [ ! -t 0 ] || return 1
for _overspill in "${XDG_CACHE_HOME:-$HOME/.cache}"/overspill/hooks-*; do
  { [ -p "$_overspill" ] && [ -O "$_overspill" ] && kill -0 "${_overspill##*-}"; } 2>/dev/null || continue
  exec 7<> <(:) 8>&1
  { printf '%-7s\n' "$BASHPID" 1<>"$_overspill"; } 2>/dev/null && read -r -t 1 -u 7 _overspill_taken
  if [ -n "${_overspill_taken-}" ]; then
    exec 7</dev/fd/7 # by another descriptor than that for both, so that it ends when the reader does
    read -r -t 25 -u 7 _ ||
      printf '{"decision": "block", "reason": "%s", "stopReason": "%s"}\n' "$_overspill_taken" "$_overspill_taken"
    exit 0
  fi
  exec 7>&- 8>&-
done
return 1
