#!/usr/bin/env bash
# Stands for every program that docs/deploy.md calls. It writes down what was asked, for m4a also the table and the role
# that it sees, and answers what the page reads. What $FAILING, a pattern, fits fails. $ROOM is a folder of its own.
program=${0##*/}
line="$program $*"
[ "$program" != m4a ] || line="$line | table ${M4A_TABLE:-none}, ${ROLE:-own credentials}"

note() { echo "$line" >> "$ROOM/calls"; }
option() { # what follows $1 among the other arguments
  local name=$1
  shift
  while [ "$1" != "$name" ]; do shift; done
  echo "$2"
}

if [ -n "$FAILING" ] && [[ $line == $FAILING ]]; then
  note
  exit 1
fi
case $line in
"aws cloudformation describe-stacks "*)
  stack=$(option --stack-name "$@")
  case $line in
  *"'CommandEnvironment'"*) echo "M4A_PROFILE=aws M4A_TABLE=table-of-$stack" ;;
  *"'OperatorRoleArn'"*) echo "role-of-$stack" ;;
  *"'TableName'"*) echo "table-of-$stack" ;;
  *"'UserPoolId'"*) [ -z "$POOL" ] || echo "$POOL" ;;
  *"'Issuer'"* | *"'AppClientId'"* | *"'BackendClientId'"*) echo "${line##*OutputKey==}" | cut -d "'" -f 2 ;;
  esac
  ;;
"aws configure set "*) echo "$4" > "$ROOM/$3" ;;
"aws configure export-credentials "*) echo "export ROLE=$(cat "$ROOM/profile.$(option --profile "$@").role_arn")" ;;
"aws dynamodb describe-table "*DeletionProtectionEnabled) echo "${PROTECTED:-false}" ;;
"aws dynamodb describe-table "*)
  echo . >> "$ROOM/asked"
  if [ "$(wc -l < "$ROOM/asked")" -gt 30 ]; then echo "${TABLE_STATUS:-ACTIVE}"; else echo CREATING; fi
  ;;
"python3 -m venv "*)
  mkdir -p "$3/bin"
  ln -s "$(command -v true)" "$3/bin/pip"
  ;;
"sleep "*) ;;
*) note ;;
esac
