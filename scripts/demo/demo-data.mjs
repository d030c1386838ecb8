import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PlainError } from '../process/plain-error.mjs';
import { bundled } from '../steps/programs.mjs';
import { runTool } from '../steps/run-tool.mjs';

/** Marks a folder as created by the demo, which may delete it. */
const MARK = 'created-by-demo';
const ACCESS = 'demo.json';

/** Creates the demo's data folder if needed. @throws PlainError if something else created it */
export function dataDirOf(root) {
  const dataDir = join(root, '.data-demo');
  if (!existsSync(dataDir)) {
    mkdirSync(dataDir, { mode: 0o755 });
    writeFileSync(join(dataDir, MARK), 'npm run demo -- --reset deletes this folder.\n');
  }
  if (existsSync(join(dataDir, MARK))) return dataDir;
  throw new PlainError(`${dataDir} was not created by the demo: move it away first.`);
}

/** @typedef {{ email: string, password: string, apiKey: string, seededAt: string }} Access */

/** @returns {Access | undefined} once it is seeded */
export function readAccess(dataDir) {
  const path = join(dataDir, ACCESS);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Needs the app's settings in the environment. */
export async function seed(root) {
  const { exitCode, output } = await runTool(await bundled(root, 'src/demo/main.ts'), [], { root });
  if (exitCode === 0) return;
  throw new PlainError(`The demo could not be seeded; "npm run demo -- --reset" starts over:\n${output.trim()}`);
}

/** Deletes the demo's data, including a database in another folder. The marked folder stays. */
export async function reset(dataDir) {
  const { deleteEmbeddedPostgres } = await import('../postgres/embedded-postgres.mjs');
  await deleteEmbeddedPostgres({ dataDir });
  for (const name of readdirSync(dataDir)) {
    if (name !== MARK) rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}
