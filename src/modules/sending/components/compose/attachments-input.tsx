'use client';

import { ActionIcon, Button, FileButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconPaperclip, IconX } from '@/components/icons/icons';
import { Gauge } from '@/components/marks/gauge';
import { formatBytes } from '@/lib/format';
import classes from './attachments-input.module.css';
import { ATTACHMENTS_LIMIT_BYTES, attachmentBytes, type SelectedFile } from './compose-values';
import { FieldList } from './field-list';

type AttachmentsInputProps = { value: SelectedFile[]; error?: ReactNode; onChange: (value: SelectedFile[]) => void };

export function AttachmentsInput({ value, error, onChange }: AttachmentsInputProps) {
  const bytes = attachmentBytes(value);
  const isOver = bytes > ATTACHMENTS_LIMIT_BYTES;
  const add = (files: File[]) => {
    onChange([...value, ...files.map((file) => ({ key: crypto.randomUUID(), file }))]);
  };

  return (
    <FieldList name="Attachments" error={error}>
      <div className={classes.head}>
        <FileButton onChange={add} multiple resetRef={undefined} inputProps={{ 'aria-label': 'Attach files' }}>
          {(props) => (
            <Button {...props} leftSection={<IconPaperclip stroke={1.5} />}>
              Attach files
            </Button>
          )}
        </FileButton>
        <span className={isOver ? 'danger' : 'quiet'} aria-live="polite">
          {formatBytes(bytes)} of {formatBytes(ATTACHMENTS_LIMIT_BYTES)}
        </span>
        <Gauge percent={(100 * bytes) / ATTACHMENTS_LIMIT_BYTES} tone={isOver ? 'bounced' : 'postmark'} />
      </div>
      {value.length > 0 && (
        <ul className={classes.files}>
          {value.map(({ key, file }) => (
            <li key={key}>
              <span className="mono clip">{file.name}</span>
              <span className="quiet spacer">{formatBytes(file.size)}</span>
              <ActionIcon
                aria-label={`Remove ${file.name}`}
                onClick={() => onChange(value.filter((selected) => selected.key !== key))}
              >
                <IconX size={16} stroke={1.5} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
    </FieldList>
  );
}
