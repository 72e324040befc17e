#!/usr/bin/env bash
#SBATCH --job-name=weakbench
#SBATCH --exclusive
#SBATCH --requeue
#SBATCH --time=01:00:00
# A shard for each task of a Slurm array: sbatch --array=1-4 slurm.sh. A task that is requeued goes on
# where it was. WEAKBENCH is the program (weakbench), SEED the plan's seed (1).
set -euo pipefail
exec "${WEAKBENCH:-weakbench}" run --time-budget 50m --seed "${SEED:-1}" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --resume \
  --csv "shard-$SLURM_ARRAY_TASK_ID.csv" --no-progress
