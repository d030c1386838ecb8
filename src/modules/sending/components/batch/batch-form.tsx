'use client';

import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { type BatchSent, useSendBatch } from '@/components/api/use-send';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { UnsavedGuard } from '@/components/dialogs/unsaved-guard';
import { IconSend } from '@/components/icons/icons';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { SettingsSection } from '@/components/settings-section';
import { formatPlural } from '@/lib/format';
import { SendFooter } from '../send-footer';
import { readBatch, sampleBatch } from './batch-values';

type BatchFormProps = { domain: string; email: string };

export function BatchForm({ domain, email }: BatchFormProps) {
  const utils = trpc.useUtils();
  const [savedText, setSavedText] = useState(() => sampleBatch(domain, email));
  const [text, setText] = useState(savedText);
  const batch = readBatch(text);
  const send = useSendBatch();
  const onSent = () => {
    setSavedText(text);
    void utils.messages.invalidate();
    void utils.overview.invalidate();
  };

  return (
    <form
      aria-label="Batch"
      onSubmit={(event) => {
        event.preventDefault();
        if ('error' in batch) return;
        send.mutate({ messages: batch.messages }, { onSuccess: onSent });
      }}
    >
      <SettingsSection
        title="Messages"
        hint="The JSON body of POST /send/batch: 1 to 100 messages. Each succeeds or fails separately."
      >
        <Textarea
          label="Batch as JSON"
          className="mono-input"
          autosize
          minRows={16}
          maxRows={28}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={'error' in batch ? batch.error : undefined}
        />
      </SettingsSection>
      {send.data && (
        <SettingsSection
          title="Results"
          hint={`${send.data.succeeded} accepted, ${send.data.failed} failed. Same order as the batch.`}
        >
          <BatchResults results={send.data.results} />
        </SettingsSection>
      )}
      <SendFooter
        problem={send.error ? toProblem(send.error) : null}
        state={
          <span className="quiet">
            {'error' in batch ? 'Invalid JSON' : formatPlural(batch.messages.length, 'message')}
          </span>
        }
      >
        <Button
          variant="filled"
          type="submit"
          leftSection={<IconSend stroke={1.75} />}
          loading={send.isPending}
          disabled={'error' in batch}
        >
          Send batch
        </Button>
      </SendFooter>
      <UnsavedGuard isDirty={text !== savedText} what="Your changes to this batch will be lost." />
    </form>
  );
}

type Result = BatchSent['results'][number];

const COLUMNS: DataTableColumn<Result>[] = [
  {
    header: 'Status',
    kind: 'mark',
    mobile: 'mark',
    width: 120,
    cell: (result) =>
      'message_id' in result ? <StatusMark status="sent">Accepted</StatusMark> : <StatusMark status="failed" />,
  },
  { key: 'index', header: 'No.', kind: 'figure', mobile: 'side', width: 56, cell: ({ index }) => index + 1 },
  {
    header: 'Message ID or error',
    mobile: 'under',
    cell: (result) =>
      'message_id' in result ? (
        <NearLink className="mono clip" href={`/messages?q=${encodeURIComponent(result.message_id)}`}>
          {result.message_id}
        </NearLink>
      ) : (
        <span className="wrap">
          {result.error} <code>{result.code}</code>
        </span>
      ),
  },
];

function BatchResults({ results }: { results: Result[] }) {
  return <DataTable caption="Batch results" columns={COLUMNS} rows={results} rowKey={({ index }) => String(index)} />;
}
