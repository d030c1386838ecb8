import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Processes and network are those of a machine of its own, which reaches nothing but itself. Whatever changes in the root and in
 * the checkout is written beside them, and is gone afterwards. The shell stays, because orphans become its children.
 */
const ENTER = `
root=$1 work=$2 checkout=$3 node=$4
shift 4
overlay() { mkdir -p "$work/$1" "$work/$1.work" && mount -t overlay overlay -o "lowerdir=$2,upperdir=$work/$1,workdir=$work/$1.work" "$3"; }
mkdir "$work/root"
overlay changes "$root" "$work/root"
cd "$work/root"
touch usr/bin/node && mount --bind "$node" usr/bin/node
mkdir -p ".$checkout" && overlay checkout "$checkout" ".$checkout"
mount -t proc proc proc
mount --rbind /dev dev
mount --rbind /sys sys
mount -t tmpfs tmpfs run
ip link set lo up
chroot . env -i "$@" &
wait $!
`;

/**
 * Runs a script of a checkout on another Debian, with this Node.js.
 * @param {{ folder: string, checkout: string, args: string[] }} options `folder`: the Debian; `args`: the script and its arguments
 * @param {import('../process/lifetime.mjs').Lifetime} lifetime
 * @returns {Promise<number>} its exit code
 */
export async function runInDebian({ folder, checkout, args }, lifetime) {
  const work = mkdtempSync(join(tmpdir(), 'postroom-debian-'));
  const namespaces = ['--mount', '--net', '--pid', '--fork', '--kill-child'];
  const env = [
    `--chdir=${checkout}`,
    'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    'HOME=/root',
    'LANG=C.UTF-8',
  ];
  const inRoot = [folder, work, checkout, process.execPath, ...env, 'node', ...args];
  const child = spawn('unshare', [...namespaces, 'bash', '-euc', ENTER, 'enter', ...inRoot], { stdio: 'inherit' });
  const ended = once(child, 'exit');
  lifetime.atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  });
  const [code] = await ended;
  return code ?? 1;
}
