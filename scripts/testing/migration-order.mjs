import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'prisma/migrations';
/** The branches that have what has landed, the best known first. Without them, what is committed counts. */
const LANDED = ['origin/main', 'main', 'HEAD'];

/** Says which new migrations databases would get after one that sorts behind them. Empty if none, or without Git. */
export function wrongOrder(root) {
  const landed = LANDED.map((ref) => namesAt(root, ref)).find((names) => names.length > 0) ?? [];
  const last = landed.toSorted().at(-1);
  const added = readdirSync(join(root, FOLDER)).filter((name) => /^\d/.test(name) && !landed.includes(name));
  return added
    .filter((name) => last && name < last)
    .map((name) => `${FOLDER}/${name} sorts before ${last}, which has landed: rename it to the day after that.`)
    .join('\n');
}

function namesAt(root, ref) {
  const { stdout } = spawnSync('git', ['ls-tree', '--name-only', ref, `${FOLDER}/`], { cwd: root, encoding: 'utf8' });
  const names = stdout?.split('\n').map((path) => path.slice(FOLDER.length + 1)) ?? [];
  return names.filter((name) => /^\d/.test(name));
}
