# shellcheck shell=bash
# What scripts ask of the machine; they source it.

# How many programs to run side by side: as many as there are processors, of which a container may have the time of fewer
# (the quota in its group's files, below ROOT). OMP_NUM_THREADS, which nproc heeds, is for each of the programs.
job_count() {  # [ROOT]
  local root=${1:-/sys/fs/cgroup} count quota='' period=''
  count=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
  if [[ -r $root/cpu.max ]]; then
    read -r quota period <"$root/cpu.max" || true
  elif [[ -r $root/cpu/cpu.cfs_quota_us && -r $root/cpu/cpu.cfs_period_us ]]; then  # version 1
    quota=$(<"$root/cpu/cpu.cfs_quota_us") period=$(<"$root/cpu/cpu.cfs_period_us")
  fi
  if [[ $quota =~ ^[1-9][0-9]*$ && $period =~ ^[1-9][0-9]*$ ]]; then
    quota=$(((quota + period - 1) / period))
    ((quota >= count)) || count=$quota
  fi
  echo "$count"
}

# What a program with a sanitizer is begun by: those of clang 14 and g++ 12 may end at once where the kernel spreads addresses
# over more bits than they know (vm.mmap_rnd_bits of 32). Nothing where that is not permitted, as in some containers.
fixed_addresses() {
  local command
  command="setarch $(uname -m) -R"
  ! $command true 2>/dev/null || echo "$command"
}
