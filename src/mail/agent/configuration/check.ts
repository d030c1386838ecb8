import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { checkersOf } from '../../../../deploy/mail/checkers.mjs';
import { CUSTOM } from '../../../../deploy/mail/custom.mjs';
import type { Installation } from '../installation';
import { OperationFailure, type Report } from '../operations/operation';
import { runCommand } from '../operations/run-command';
import { writeConfiguration } from './generate';
import { workFolder } from './journal';

const CHECK_TIMEOUT_MS = 60_000;
const CONNECT_TIMEOUT_MS = 10_000;

type Wanted = {
  /** The folder deploy/mail. */
  deploy: string;
  /** URL of the database that the mail server asks. */
  database: string;
  /** Paths of the files that are not generated. */
  extras: string[];
};

/**
 * Lets the services' own checkers read the configuration as it would be, in a folder of its own, with the files that are
 * not generated. Redis has no checker.
 * @throws OperationFailure with the name of the checker that refuses it
 */
export async function checkConfiguration(
  { config, data, settings }: Installation,
  { deploy, database, extras }: Wanted,
  report: Report,
): Promise<void> {
  const folder = join(workFolder(config), 'check');
  try {
    await cp(join(config, CUSTOM), join(folder, CUSTOM), { recursive: true }).catch(unlessMissing);
    for (const path of extras) await cp(join(config, path), join(folder, path));
    await writeConfiguration(deploy, settings, folder);
    for (const { name, file, args } of checkersOf(folder, data)) {
      const { exitCode, lines } = await runCommand({ file, args, withinMs: CHECK_TIMEOUT_MS });
      if (exitCode === 0) {
        report('output', `${name}: no errors`);
        continue;
      }
      for (const line of lines) report('error', line.replaceAll(folder, config));
      throw new OperationFailure(`${name} refuses the new configuration.`);
    }
    await checkDatabase(database, report);
  } finally {
    await rm(workFolder(config), { recursive: true, force: true });
  }
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The mail server's role must be able to use the database of the settings, as `install` checks too. */
async function checkDatabase(url: string, report: Report): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query({
      text: "SELECT * FROM mta.is_domain('example.com')",
      ...{ query_timeout: CONNECT_TIMEOUT_MS },
    });
    report('output', 'DATABASE: the mail server’s role can use it');
  } catch (error) {
    report('error', error instanceof Error ? error.message : String(error));
    throw new OperationFailure(
      'The mail server’s role can’t use DATABASE. Run deploy/mail/install, which prepares it.',
    );
  } finally {
    await client.end().catch(() => {});
  }
}
