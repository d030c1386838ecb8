import { Button, Group } from '@mantine/core';
import type { Role } from '@/lib/access/roles';
import type { ConsoleRoute } from '@/lib/routes';
import { Note } from '../layout/note';
import { NearLink } from '../near-link';
import { PageHeader } from '../page-header';
import { ROLE_LABELS } from './navigation/account-menu';
import { Page } from './page';

type NoRoleProps = { route: ConsoleRoute; account: { email: string; role: Role } };

export function NoRole({ route, account }: NoRoleProps) {
  return (
    <Page>
      <PageHeader title={route.label} description="No access" />
      <Note>
        <h2>This page requires the role {ROLE_LABELS[route.minRole]}</h2>
        <p>
          You are signed in as <b className="strong">{account.email}</b> with the role {ROLE_LABELS[account.role]}. A
          super admin can change your role.
        </p>
        <Group pt="md">
          <Button component={NearLink} href="/">
            Go to overview
          </Button>
        </Group>
      </Note>
    </Page>
  );
}
