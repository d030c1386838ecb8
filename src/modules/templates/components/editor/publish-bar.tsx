'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconSend } from '@/components/icons/icons';
import type { Template } from '../../schema';
import { PublishedMark } from '../published-mark';
import { usePublish } from '../use-publish';
import classes from './publish-bar.module.css';
import type { Preview } from './use-preview';

const SendTestDialog = lazyDialog(() => import('./send-test-dialog').then((module) => module.SendTestDialog));

type PublishBarProps = { template: Template; isDirty: boolean; preview: Preview; children: ReactNode };

/** The bar with the published version, which messages are sent with, and the buttons that save, test and publish the draft. */
export function PublishBar({ template, isDirty, preview, children }: PublishBarProps) {
  const publish = usePublish(template);
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const [isTesting, test] = useDisclosure(false);
  const text = preview.error ? null : (preview.data ?? null);
  return (
    <>
      <div className={classes.bar}>
        <PublishedMark template={template} />
        <span className="spacer" />
        {children}
        <Button leftSection={<IconSend stroke={1.5} />} disabled={!text || !me.data} onClick={test.open}>
          Send test
        </Button>
        <Button
          variant={isDirty ? 'default' : 'filled'}
          disabled={isDirty || !template.has_changes}
          loading={publish.isPending}
          onClick={() => publish.mutate(ifUnchanged('template', template, { id: template.id }))}
        >
          Publish
        </Button>
      </div>
      <ProblemAlert problem={publish.error && toProblem(publish.error)} />
      {text && me.data && (
        <SendTestDialog
          opened={isTesting}
          domain={template.domain}
          to={me.data.email}
          text={text}
          onClose={test.close}
        />
      )}
    </>
  );
}
