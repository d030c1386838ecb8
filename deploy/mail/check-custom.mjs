// Checks the configuration with the operator's own settings before it is written: check-custom.mjs SETTINGS FOLDER. Without such
// settings, it checks nothing.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkersOf } from './checkers.mjs';
import { CUSTOM } from './custom.mjs';
import { readSettings } from './settings.mjs';

const [settings = '', config = ''] = process.argv.slice(2);
const folder = join(config, '.check');

process.exitCode = existsSync(join(config, CUSTOM)) && !isAccepted() ? 1 : 0;

function isAccepted() {
  const configure = join(dirname(fileURLToPath(import.meta.url)), 'configure.mjs');
  const { values } = readSettings(settings);
  try {
    cpSync(join(config, CUSTOM), join(folder, CUSTOM), { recursive: true });
    const written = { name: 'The generator', file: process.execPath, args: [configure, settings, folder] };
    return [written, ...checkersOf(folder, values?.data ?? '')].every(accepts);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function accepts({ name, file, args }) {
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  if (status === 0) return true;
  console.error(`${stdout}${stderr}`.trim().replaceAll(folder, config));
  console.error(
    `${name} refuses the new configuration, which has what is in ${join(config, CUSTOM)}. Nothing was changed.`,
  );
  return false;
}
