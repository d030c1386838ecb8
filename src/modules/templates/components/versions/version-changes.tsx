'use client';

import { Button } from '@mantine/core';
import { diffLines } from 'diff';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Skeleton } from '@/components/marks/skeleton';
import { notify } from '@/components/notifications';
import { RawText } from '@/components/text/raw-text';
import type { Template, TemplateVersion } from '../../schema';
import classes from './version-changes.module.css';

type Content = Pick<TemplateVersion, 'subject' | 'html_body' | 'text_body' | 'variables'>;

const PARTS: { label: string; textOf: (content: Content) => string }[] = [
  { label: 'Subject', textOf: ({ subject }) => subject },
  { label: 'HTML', textOf: ({ html_body }) => html_body ?? '' },
  { label: 'Text', textOf: ({ text_body }) => text_body ?? '(made from the HTML)' },
  { label: 'Variables', textOf: ({ variables }) => variables.map((each) => JSON.stringify(each)).join('\n') },
];

/** Long texts are compared as a whole beyond so many changes, which takes a moment only. */
const MAX_CHANGES = 2000;

/** The changes from a version to the draft. */
export function VersionChanges({ template, number }: { template: Template; number: number }) {
  const utils = trpc.useUtils();
  const found = trpc.templates.version.useQuery({ id: template.id, number: String(number) });
  const update = trpc.templates.update.useMutation({
    onSuccess: async (saved) => {
      utils.templates.get.setData({ id: template.id }, saved);
      notify({ text: `The draft has the text of version ${number}` });
      await utils.templates.list.invalidate();
    },
  });
  if (found.isError) return <ProblemAlert problem={toProblem(found.error)} />;
  if (!found.data) return <Skeleton width={240} />;
  const version = found.data;
  const changed = PARTS.filter(({ textOf }) => textOf(version) !== textOf(template));
  const copy = () => {
    const { subject, html_body, text_body, variables } = version;
    const content = { subject, html_body, text_body, variables };
    update.mutate(ifUnchanged('template', template, { id: template.id, ...content }));
  };
  return (
    <div className={classes.changes}>
      {changed.length === 0 && <p className="soft">The draft is the same as this version.</p>}
      {changed.map(({ label, textOf }) => (
        <section key={label} aria-label={label}>
          <h3>{label}</h3>
          <RawText className={classes.diff} tabIndex={0}>
            <Changes from={`${textOf(version)}\n`} to={`${textOf(template)}\n`} />
          </RawText>
        </section>
      ))}
      {changed.length > 0 && (
        <div>
          <Button size="xs" loading={update.isPending} onClick={copy}>
            Replace draft with version {number}
          </Button>
        </div>
      )}
      <ProblemAlert problem={update.error && toProblem(update.error)} />
    </div>
  );
}

function Changes({ from, to }: { from: string; to: string }) {
  const parts = diffLines(from, to, { maxEditLength: MAX_CHANGES }) ?? [
    { value: from, removed: true, added: false },
    { value: to, removed: false, added: true },
  ];
  let line = 0;
  return parts.map(({ value, added, removed }) => {
    line += value.length;
    const key = `${line} ${added} ${removed}`;
    if (added) return <ins key={key}>{value}</ins>;
    return removed ? <del key={key}>{value}</del> : <span key={key}>{value}</span>;
  });
}
