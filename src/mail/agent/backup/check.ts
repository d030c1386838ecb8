import type { Outcome, Run } from '../operations/operation';
import { type BackupParts, requirePlan } from './back-up';
import { openRepository, repositoryOf } from './repository';
import { BackupFailure, runRestic } from './restic';

/** Each check reads another part of the data, so that ten of them have read all of it. */
const PARTS = 10;
const WEEK_MS = 7 * 86_400_000;
const MAX_NAMED = 20;

/** Checks the structure of the repository, and reads a part of its data. */
export async function checkMailBackups(parts: BackupParts, { report, signal }: Run): Promise<Outcome> {
  try {
    const plan = await requirePlan(parts);
    const repository = repositoryOf(plan, parts.read().data);
    await openRepository(repository, { known: await parts.records.knownRepository(), signal });
    const part = (Math.floor(Date.now() / WEEK_MS) % PARTS) + 1;
    report('step', `Checking the repository in ${repository.location}`);
    await runRestic(repository, ['unlock'], { signal });
    const onLine = (line: string) => line.trim() && report('output', line);
    // First without data, which restic tries to read for minutes if it is damaged.
    await runRestic(repository, ['check'], { signal, onLine });
    await runRestic(repository, ['check', `--read-data-subset=${part}/${PARTS}`], { signal, onLine });
    await parts.records.saveCheck('');
    return { state: 'succeeded', message: `No errors were found. Part ${part} of ${PARTS} of the data was read.` };
  } catch (error) {
    if (!(error instanceof BackupFailure)) throw error;
    if (error.kind === 'stopped') return { state: 'interrupted', message: error.message };
    for (const line of error.lines.slice(0, MAX_NAMED)) report('error', line);
    const isDamaged = error.kind === 'other' && error.lines.some((line) => /contains errors/.test(line));
    const message = isDamaged
      ? 'The repository is damaged. The output names the files. Keep it, choose another BACKUP_TARGET and back up again.'
      : error.message;
    await parts.records.saveCheck(message);
    return { state: 'failed', message };
  }
}
