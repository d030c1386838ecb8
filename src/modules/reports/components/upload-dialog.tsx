'use client';

import { FileInput } from '@mantine/core';
import { useState } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { useApiForm } from '@/components/forms/use-api-form';
import { Notice } from '@/components/layout/notice';
import { notify } from '@/components/notifications';
import { type DropReason, UploadReport } from '../schema';
import { DROP_REASONS } from './report-values';

type UploadDialogProps = { kind: 'dmarc' | 'tls'; opened: boolean; onClose: () => void };

const initialValues = { filename: '', content: '' };

export function UploadDialog({ kind, opened, onClose }: UploadDialogProps) {
  const utils = trpc.useUtils();
  const [file, setFile] = useState<File | null>(null);
  const [rejected, setRejected] = useState<DropReason | null>(null);
  const dmarc = trpc.reports.uploadDmarcReport.useMutation();
  const tls = trpc.reports.uploadTlsReport.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: UploadReport,
    initialValues,
    submit: async (input) => {
      setRejected(null);
      return kind === 'dmarc' ? dmarc.mutateAsync(input) : tls.mutateAsync(input);
    },
    onSaved: async ({ status, reason }) => {
      if (status === 'rejected') return setRejected(reason ?? 'malformed');
      await utils.reports.invalidate();
      notify({ text: status === 'stored' ? 'Report stored' : 'The report was stored before' });
      onClose();
    },
  });

  const choose = async (chosen: File | null) => {
    setFile(chosen);
    setRejected(null);
    form.clearErrors();
    form.setValues({ filename: chosen?.name ?? '', content: chosen ? await toBase64(chosen) : '' });
  };

  return (
    <Dialog
      opened={opened}
      title={kind === 'dmarc' ? 'Upload a DMARC report' : 'Upload a TLS report'}
      action="Upload report"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <p className="soft">
        For a report that reached you another way. Reports that arrive by mail are read by themselves.
      </p>
      <FileInput
        label="Report file"
        description={`${kind === 'dmarc' ? 'XML' : 'JSON'}, plain or in a gzip or zip file, up to 750 KB`}
        placeholder="Choose a file"
        value={file}
        onChange={(chosen) => void choose(chosen)}
        error={form.getInputProps('content').error}
      />
      {rejected && (
        <Notice status="bounced" role="alert" title="The report was not stored">
          <p>{DROP_REASONS[rejected]}</p>
        </Notice>
      )}
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

async function toBase64(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (let start = 0; start < bytes.length; start += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(text);
}

const CHUNK = 8_192;
