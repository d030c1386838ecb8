import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CustomFile } from '@/lib/mail/operations';
import { OperationFailure } from '../operations/operation';

/** A file of the configuration, as deploy/mail/configure.mjs writes it. */
export type GeneratedFile = {
  /** In the folder of the configuration. */
  path: string;
  text: string;
  mode: number;
  gid: number;
  hasSecret: boolean;
};

export type Generated = {
  files: GeneratedFile[];
  /** The operator's own files in the folder `custom`, whose content is in those above. */
  custom: CustomFile[];
  /** URL of the database that the mail server asks. */
  database: string;
  secrets: string[];
};

const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

const run = promisify(execFile);

/**
 * Returns what `install` would write to the `config` folder from the settings, by the templates that are there now.
 * @throws OperationFailure with what is wrong with the settings
 */
export async function generateConfiguration(deploy: string, settings: string, config: string): Promise<Generated> {
  return JSON.parse(await configure(deploy, [settings, config, '--print']));
}

/**
 * Writes it to a folder, as `install` does, and makes what is missing of the folders for data and, with ACME, a certificate
 * that Postfix and Dovecot can start with.
 * @throws OperationFailure as above
 */
export async function writeConfiguration(deploy: string, settings: string, config: string): Promise<void> {
  await configure(deploy, [settings, config]);
}

async function configure(deploy: string, args: string[]): Promise<string> {
  const options = {
    env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH },
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
  };
  try {
    return (await run(process.execPath, [join(deploy, 'configure.mjs'), ...args], options)).stdout;
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    if (!stderr) throw error;
    throw new OperationFailure(stderr.trim());
  }
}
