import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_SCRIPT_BYTES, scriptBytes } from '@/lib/mail/sieve';
import type { AgentHandlers, SieveError } from './requests';

const TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 1_048_576;
const MAX_ERRORS = 50;
const MAX_MESSAGE_LENGTH = 300;
// No include: a filter can't use other filters.
const EXTENSIONS = '-include';
const ERROR_LINE = /^script: (?:line (\d+): )?error: (.+)$/;
/** The summary at the end of the errors, which adds nothing to other errors. */
const SUMMARY = /^(parse|validation|code generation) failed\.?$/;

type Folders = {
  /** Folder of the generated configuration. */
  configFolder: string;
  /** DATA_DIR of the settings. */
  dataFolder: string;
};

/** Compiles scripts with Dovecot's own compiler and configuration. */
export function createSieveHandlers({ configFolder, dataFolder }: Folders): Pick<AgentHandlers, 'sieve.check'> {
  const config = join(configFolder, 'dovecot', 'dovecot.conf');
  return {
    'sieve.check': async ({ script }) => {
      if (scriptBytes(script) > MAX_SCRIPT_BYTES) {
        return { errors: [{ line: null, message: `A script can have at most ${MAX_SCRIPT_BYTES} bytes.` }] };
      }
      const folder = await mkdtemp(join(dataFolder, 'run', 'sieve-'));
      try {
        return { errors: await compile(config, folder, script) };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function compile(config: string, folder: string, script: string): Promise<SieveError[]> {
  const file = join(folder, 'script.sieve');
  await writeFile(file, script, { mode: 0o600 });
  const { isCompiled, output } = await run(['-c', config, '-x', EXTENSIONS, file, join(folder, 'compiled')], folder);
  if (isCompiled) return [];
  const errors = errorsIn(output);
  if (errors.length === 0) throw new Error(`sievec reported no error: ${output.slice(0, 1000)}`);
  return errors;
}

function run(args: string[], folder: string): Promise<{ isCompiled: boolean; output: string }> {
  const options = {
    cwd: folder,
    // Hides scripts of the user that the agent runs as.
    env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, HOME: folder },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
  } as const;
  return new Promise((resolve, reject) => {
    execFile('sievec', args, options, (error, stdout, stderr) => {
      if (error?.killed || typeof error?.code === 'string') reject(error);
      else resolve({ isCompiled: error === null, output: `${stdout}${stderr}` });
    });
  });
}

function errorsIn(output: string): SieveError[] {
  const found = output.split('\n').flatMap((text) => {
    const [, line, message] = ERROR_LINE.exec(text) ?? [];
    return message ? [{ line: line ? Number(line) : null, message: plain(message) }] : [];
  });
  const specific = found.filter(({ message }) => !SUMMARY.test(message));
  return (specific.length > 0 ? specific : found).slice(0, MAX_ERRORS);
}

function plain(message: string): string {
  return message.toWellFormed().replace(/\p{C}/gu, '\ufffd').slice(0, MAX_MESSAGE_LENGTH);
}
