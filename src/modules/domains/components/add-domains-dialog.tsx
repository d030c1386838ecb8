'use client';

import { Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Clipped } from '@/components/data-table/cells';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { Dialog } from '@/components/dialogs/dialog';
import { notify } from '@/components/notifications';
import { formatCount, formatPlural } from '@/lib/format';

/** More can be added in a second go. */
const MAX_DOMAINS = 500;

type Refusal = { name: string; reason: string };
type AddDomainsDialogProps = { opened: boolean; onClose: () => void };

/** Adds a pasted list of domains one by one. Those that are refused stay in the field, with the reasons below it. */
export function AddDomainsDialog({ opened, onClose }: AddDomainsDialogProps) {
  const utils = trpc.useUtils();
  const create = trpc.domains.create.useMutation();
  const [text, setText] = useState('');
  const [refusals, setRefusals] = useState<Refusal[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [done, setDone] = useState<number | null>(null);
  const names = namesIn(text);
  const isTooLong = names.length > MAX_DOMAINS;

  const close = () => {
    setText('');
    setRefusals([]);
    setProblem(null);
    onClose();
  };

  const add = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(null);
    const refused: Refusal[] = [];
    let [added, stopped]: [number, Problem | null] = [0, null];
    for (const [index, name] of names.entries()) {
      setDone(index);
      const failure = await addOne(name);
      if (failure === null) added += 1;
      else if (isAboutName(failure)) refused.push({ name, reason: failure.fields[0]?.message ?? failure.message });
      else {
        stopped = failure;
        refused.push({ name, reason: failure.message });
        refused.push(...names.slice(index + 1).map((left) => ({ name: left, reason: 'Not tried.' })));
        break;
      }
    }
    setDone(null);
    setRefusals(refused);
    setProblem(stopped);
    setText(refused.map(({ name }) => name).join('\n'));
    if (added > 0) await Promise.all([utils.domains.invalidate(), utils.overview.invalidate()]);
    if (added > 0) notify({ text: `Added ${formatPlural(added, 'domain')}` });
    if (refused.length === 0) close();
  };

  async function addOne(name: string): Promise<Problem | null> {
    try {
      await create.mutateAsync({ name });
      return null;
    } catch (error) {
      return toProblem(error);
    }
  }

  return (
    <Dialog
      opened={opened}
      isInUrl
      title="Add several domains"
      action={
        done === null
          ? `Add ${names.length > 0 ? formatPlural(names.length, 'domain') : 'domains'}`
          : `Adding ${done + 1} of ${names.length}`
      }
      isBusy={done !== null}
      isDisabled={names.length === 0 || isTooLong}
      onClose={close}
      onSubmit={(event) => void add(event)}
    >
      <Textarea
        label="Domains"
        description="One on each line, or separated by commas or spaces. Each gets a DKIM key; a list of what to publish is on its page."
        className="mono-input"
        autosize
        minRows={6}
        maxRows={14}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        readOnly={done !== null}
        value={text}
        error={isTooLong && `Enter at most ${formatCount(MAX_DOMAINS)} domains at a time.`}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {refusals.length > 0 && (
        <section aria-label="Not added" role="status">
          <p>
            <b>{formatPlural(refusals.length, 'domain')} not added.</b>
          </p>
          <DataTable caption="Why" columns={COLUMNS} rows={refusals} rowKey={({ name }) => name} isDense />
        </section>
      )}
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

const COLUMNS: DataTableColumn<Refusal>[] = [
  { header: 'Domain', mobile: 'lead', className: 'mono', cell: ({ name }) => <Clipped text={name} /> },
  { header: 'Reason', mobile: 'under', cell: ({ reason }) => reason },
];

/** The names of a pasted list, each once. */
function namesIn(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((name) => name !== ''))];
}

/** The next name may be fine. */
function isAboutName({ code, status }: Problem): boolean {
  return code === 'VALIDATION_ERROR' || status === 409;
}
