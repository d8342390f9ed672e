// Contract: the `update` hook for a server that one runs oneself: receipts become append-only there. Git's own settings protect branches
// only. One script for sh without anything but git. PURE.

export const SERVER_HOOK = `#!/bin/sh
# praetorctl: receipts are only ever appended to. Put this file at <repository>.git/hooks/update and make it executable.
# Git calls it once for each reference of a push with its name, the commit before and the commit after.
case "$1" in
  refs/praetor/*|refs/notes/praetor/*) ;;
  *) exit 0 ;;
esac
no_commit() { case "$1" in *[!0]*) return 1 ;; *) return 0 ;; esac; }
if no_commit "$3"; then
  echo "$1 may not be deleted" >&2
  exit 1
fi
if [ "$(git cat-file -t "$3")" != commit ]; then
  echo "$1 must hold a commit" >&2
  exit 1
fi
if no_commit "$2" || git merge-base --is-ancestor "$2" "$3"; then exit 0; fi
echo "$1 may only be appended to: the commit $2 is not part of what was sent" >&2
exit 1
`;
