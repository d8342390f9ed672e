// Contract: the body of the program that Amp delegates its decisions to. Amp gives the arguments on standard input, the tool's
// name in AGENT_TOOL_NAME and the workspace as working directory; it takes exit 0 as allow, 1 as ask, more as reject with the
// text on stderr. The program decides nothing: it asks the hook, and rejects wherever there is no clear answer. PURE.

export const SHIM_BODY = `#!/bin/sh
# Only names that need no quoting in JSON; the directory is left out where it would.
case "$AGENT_TOOL_NAME" in ''|*[!A-Za-z0-9_.:/-]*) echo 'the guard does not know this tool name' >&2; exit 2 ;; esac
here=$(pwd)
case "$here" in *[!A-Za-z0-9_./@+=,:\\ -]*) directory= ;; *) directory="\\"directory\\":\\"$here\\"," ;; esac
answer=$({ printf '{"tool":"%s",%s"args":' "$AGENT_TOOL_NAME" "$directory"; cat; printf '}'; } \\
  | PRAETORCTL_SHIM_TOOL=$AGENT_TOOL_NAME praetorctl hook amp pre-tool)
code=$?
# Exit 1 is also that of a program that crashed, so a question counts only with its words; "no opinion" is silent.
case "$code$answer" in
  0) ;;
  '1{"decision":"ask",'*) exit 1 ;;
  '2{"decision":"deny",'*) exit 2 ;;
  127*) echo 'the guard gave no answer: praetorctl is not on PATH' >&2; exit 2 ;;
  *) echo "the guard gave no answer that it knows: exit $code" >&2; exit 2 ;;
esac
# Amp has no way to say "no opinion". Its own rules behind this one allow every edit and every tool of a server, and ask about a
# shell command unless it is one of a list: so an answer is given that never grants more than they would.
case "$AGENT_TOOL_NAME" in Bash|*shell_command*) exit 1 ;; *) exit 0 ;; esac
`;
