#!/usr/bin/env bash
# One night: sweep a scenario, compare it with the nights before, prune, publish.
#
#   nightly.sh SCENARIO [FLAGS OF matrix run...]
#
# Every step is tried whatever became of those before it, until a signal comes.
# That reaches the step at work, which keeps what it has; the others are left out.
# The last line tells how each step ended. The exit status is the first of
# 130, 2, 1, 4, 3 that is among them, or 0; docs/nightly.md says what each means.
set -u
export LC_ALL=C

matrix=${MATRIX:-matrix}     # the program
results=${RESULTS:-results}  # folder that runs are kept in
nights=${NIGHTS:-5}          # so many runs before tonight's are what it is compared with
keep=${KEEP:-90d}            # older runs are removed
metrics=${METRICS:-}         # file for node_exporter's textfile collector: /PATH/matrix.prom; none if empty
site=${SITE:-}               # folder of the site of all runs; none if empty
url=${SITE_URL:-}            # address of that site, which its feed needs

ended='' stopped='' child=''
trap 'stopped=1; kill -TERM $child 2>/dev/null' INT TERM HUP

# step NAME COMMAND... runs a command beside the shell: a trap waits for one before it.
step() {
  local name=$1 code
  shift
  [ -z "$stopped" ] || return
  "$@" &
  child=$!
  [ -z "$stopped" ] || kill -TERM $child 2>/dev/null # the signal came before child was set
  wait $child
  code=$?
  while [ -n "$stopped" ] && kill -0 $child 2>/dev/null; do wait $child; done
  child=''
  [ -z "$stopped" ] || code=130
  case $code in 0 | 1 | 2 | 3 | 4 | 130) ;; *) code=1 ;; esac # killed, or not found
  ended+=" $name $code"
}

# runs lists every run with the time its header was written, which is when it
# began, and again when its sweep ends: also where --resume goes on with one.
runs() { stat --format='%n %y' "$results"/*/*/run.json 2>/dev/null | sort; }

before=$(runs)
step run "$matrix" run --results "$results" "$@"
tonight=$(comm -13 <(echo "$before") <(runs) | tail -n 1)
tonight=${tonight%/run.json *}

if [ -n "$tonight" ]; then
  mapfile -t base < <(printf '%s\n' "${tonight%/*}"/*/run.json | grep -vxF "$tonight/run.json" | tail -n "$nights")
  if [ ${#base[@]} -gt 0 ]; then
    step compare "$matrix" compare "${base[@]%/run.json}" "$tonight" --changed
  fi
  step history "$matrix" history "$(basename "${tonight%/*}")" --results "$results" --since 30d
  if [ -n "$metrics" ]; then
    step metrics "$matrix" report "$tonight" --format openmetrics --output "$metrics"
  fi
fi
step prune "$matrix" prune --results "$results" --keep "$keep"
if [ -n "$site" ]; then
  step site "$matrix" site "$results" --output "$site" ${url:+--url "$url"}
fi

echo "night:$ended" >&2
for code in 130 2 1 4 3; do
  case "$ended " in *" $code "*) exit $code ;; esac
done
exit 0
