import type { LineKind } from '@/lib/mail/operations';
import { repeat } from '@/server/background/repeat';
import type { Database } from '@/server/database/db';

export const MAX_LINES = 2_000;
export const MAX_LINE_LENGTH = 1_000;
const MAX_CHARACTERS = 256 * 1024;
const FLUSH_INTERVAL_MS = 250;
const CUT = 'The rest of the output is left out.';

/** Writes the lines of an operation as they come. Beyond the limits, only errors and steps are written. */
export function writeOutput(db: Database, operationId: string) {
  type Line = { operationId: string; number: number; kind: LineKind; text: string; at: Date };
  let waiting: Line[] = [];
  let [count, characters, isCut] = [0, 0, false];

  const flush = async () => {
    const lines = [...waiting];
    if (lines.length === 0) return;
    await db.operationLine.createMany({ data: lines, skipDuplicates: true });
    waiting = waiting.slice(lines.length);
  };
  const add = (kind: LineKind, text: string) => {
    count += 1;
    characters += text.length;
    waiting.push({ operationId, number: count, kind, text, at: new Date() });
  };
  const report = (kind: LineKind, text: string) => {
    const isFull = count >= MAX_LINES || characters >= MAX_CHARACTERS;
    const isLong = kind === 'output' || kind === 'diff';
    if (!isFull) add(kind, printable(text));
    else if (!isCut) add('output', CUT);
    if (isFull && !isLong && count < MAX_LINES + MAX_LINES / 10) add(kind, printable(text));
    isCut ||= isFull;
  };
  const task = repeat('writing the output of an operation', FLUSH_INTERVAL_MS, flush);

  return {
    report,
    /** Writes what is left. */
    end: async () => {
      await task.end();
      await flush();
    },
  };
}

/** Adds a line to the output of an operation that has ended, whose message can't change. Without the operation, it does nothing. */
export async function addLine(db: Database, operationId: string, text: string): Promise<void> {
  await db.$executeRaw`
    INSERT INTO operation_line (operation_id, number, kind, text, at)
    SELECT id, (SELECT coalesce(max(number), 0) + 1 FROM operation_line WHERE operation_id = operation.id), 'step',
           ${printable(text)}, now()
      FROM operation WHERE id = ${operationId}::uuid`;
}

function printable(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/\t/g, '    ')
    .replace(/\p{Cc}/gu, '\ufffd');
  return plain.length > MAX_LINE_LENGTH ? `${plain.slice(0, MAX_LINE_LENGTH)}…`.toWellFormed() : plain;
}
