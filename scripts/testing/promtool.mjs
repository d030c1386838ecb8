import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { installFromDebian, isDebianAsRoot, isThere, placesOf } from './debian.mjs';

/** @returns {string | undefined} the path of Prometheus' tool that checks rules, configurations and metrics */
export function findPromtool() {
  return [process.env.PROMTOOL_PATH, ...placesOf(['promtool'])].find(isThere);
}

/** Installs Prometheus if possible. Otherwise the tests that need it explain what to do. */
export function preparePromtool() {
  if (findPromtool() || !isDebianAsRoot()) return;
  installFromDebian('prometheus');
  // Nor should it start with the machine.
  if (existsSync('/run/systemd/system')) spawnSync('systemctl', ['disable', 'prometheus.service'], { stdio: 'ignore' });
}
