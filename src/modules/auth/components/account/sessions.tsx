'use client';

import { Button, Group } from '@mantine/core';
import { useMemo, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { confirmLeave } from '@/components/dialogs/navigation-guard';
import { ListView } from '@/components/list/list-view';
import { SettingsSection } from '@/components/settings-section';
import type { Session } from '../../schema';
import { sessionColumns } from './session-columns';

export function Sessions() {
  const utils = trpc.useUtils();
  const [isEndingAll, setIsEndingAll] = useState(false);
  const list = trpc.auth.sessions.useQuery({ limit: 200 });
  const end = trpc.auth.endSession.useMutation({ onSettled: () => utils.auth.sessions.invalidate() });
  const logout = trpc.auth.logout.useMutation({ onSettled: toLogin });
  const endAll = trpc.auth.logoutAll.useMutation({ onSuccess: toLogin });
  const endOne = end.mutate;
  const signOut = logout.mutate;
  const columns = useMemo(
    () =>
      sessionColumns(({ id, current }: Session) => {
        if (current) confirmLeave(() => signOut({}));
        else endOne({ id });
      }),
    [endOne, signOut],
  );
  const rows = list.data?.items;

  return (
    <SettingsSection title="Sessions" hint="Where you are signed in.">
      <ListView list={{ what: 'your sessions', query: list }} caption="Sessions" columns={columns} skeletonRows={2} />
      <ProblemAlert problem={end.error ? toProblem(end.error) : null} />
      {rows && rows.length > 1 && (
        <Group pt="md" justify="flex-end">
          <Button className="danger" onClick={() => setIsEndingAll(true)}>
            Sign out everywhere ({rows.length})
          </Button>
        </Group>
      )}
      <ConfirmDialog
        opened={isEndingAll}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        problem={endAll.error ? toProblem(endAll.error) : null}
        isBusy={endAll.isPending}
        onClose={() => setIsEndingAll(false)}
        onConfirm={() => confirmLeave(() => endAll.mutate({}))}
      >
        <p className="soft">You are signed out in every browser, including this one. API keys keep working.</p>
      </ConfirmDialog>
    </SettingsSection>
  );
}

function toLogin(): void {
  window.location.assign('/login');
}
