// Podman for the tests: with images and layers of its own, which stay for the next run, and nothing in the settings of this machine.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { installFromDebian } from '../testing/debian.mjs';

export const STORAGE = '/var/cache/postroom-tests/containers';
const PACKAGES = ['podman', 'podman-compose', 'runc', 'netavark', 'aardvark-dns', 'iptables', 'iproute2'];
const OUTPUT_LINES = 60;

/**
 * Prepares the engine. `podman build` is buildah's.
 * @param {string} folder for its settings
 * @returns the variables of the environment that make podman use them
 */
export function prepareEngine(folder) {
  for (const command of ['podman', 'podman-compose', 'runc'])
    if (spawnSync(command, ['--version']).error) installFromDebian(...PACKAGES);
  mkdirSync(join(folder, 'networks'), { recursive: true });
  mkdirSync(STORAGE, { recursive: true });
  writeFileSync(
    join(folder, 'storage.conf'),
    `[storage]\ndriver = "overlay"\ngraphroot = "${STORAGE}"\nrunroot = "/run/postroom-tests"\n`,
  );
  // Limits that a process without CAP_SYS_RESOURCE can set, and no hosts file of this machine.
  writeFileSync(
    join(folder, 'containers.conf'),
    `[containers]
default_ulimits = ["nofile=4096:${limitOfFiles()}", "nproc=4096:4096"]
base_hosts_file = "none"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
network_config_dir = "${folder}/networks"
`,
  );
  return {
    CONTAINERS_CONF: join(folder, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
    TMPDIR: folder,
  };
}

function limitOfFiles() {
  return spawnSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }).stdout.trim();
}

/**
 * Runs a command to its end.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, input?: string | Buffer }} options
 * @returns {Promise<{ status: number | null, output: string }>} with both streams of its output
 */
export async function run(command, args, { cwd = process.cwd(), input = '' } = {}) {
  const child = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}).end(input);
  /** @type {Buffer[]} */
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  const [status] = await once(child, 'close');
  return { status, output: Buffer.concat(chunks).toString() };
}

/** @returns {Promise<string>} what a command prints. @throws PlainError if it fails */
export async function must(command, args, options = {}) {
  const { status, output } = await run(command, args, options);
  if (status === 0) return output;
  const end = output.trim().split('\n').slice(-OUTPUT_LINES).join('\n');
  throw new PlainError(`Exit code ${status} of ${command} ${args.join(' ')}:\n${end}`);
}

/** @param {string[]} args */
export function podman(...args) {
  return must('podman', args);
}
