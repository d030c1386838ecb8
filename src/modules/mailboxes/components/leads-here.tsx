'use client';

import { Button } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { EmailAddress } from '@/components/email-address';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import { useHasRole } from '@/components/shell/use-has-role';
import type { Mailbox } from '../schema';

const MOST = 50;

type LeadsHereProps = {
  mailbox: Mailbox;
  /** What stands below, which would move if it came before the list. */
  children: ReactNode;
};

export function LeadsHere({ mailbox: { email, domain_id }, children }: LeadsHereProps) {
  const seesAll = useHasRole('admin');
  const found = trpc.aliases.list.useQuery({
    q: email,
    domain_id: seesAll ? undefined : domain_id,
    sort: 'source_local_part',
    order: 'asc',
    limit: MOST,
  });
  const aliases = found.data?.items.filter(({ destination }) =>
    destination.toLowerCase().split(',').includes(email.toLowerCase()),
  );
  const trace = (
    <Button
      component={Link}
      href={`/aliases?domain=${domain_id}&trace=${encodeURIComponent(email)}`}
      leftSection={<IconRoute stroke={1.5} />}
    >
      Where does its mail go?
    </Button>
  );

  const title = { title: 'What leads here', hint: seesAll ? 'Aliases of any domain.' : 'Aliases of its own domain.' };
  if (found.isPending) {
    return (
      <div aria-busy="true">
        <SettingsSection {...title}>
          <span className="skeleton" style={{ width: 200 }} />
        </SettingsSection>
      </div>
    );
  }

  return (
    <>
      <SettingsSection {...title}>
        <div className="form-column">
          {found.isError && <p className="soft">The aliases could not be loaded.</p>}
          {aliases?.length === 0 && <p className="soft">No alias leads here; mail comes by its own address.</p>}
          {aliases && aliases.length > 0 && (
            <ul className="delivering-aliases">
              {aliases.map(({ id, address, active }) => (
                <li key={id}>
                  <StatusMark status={active ? 'on' : 'off'} shapeOnly />
                  <Link aria-label={address} href={`/aliases?domain=${domain_id}&edit=${id}`}>
                    <EmailAddress value={address} />
                  </Link>
                  {!active && <span className="quiet">off</span>}
                </li>
              ))}
            </ul>
          )}
          <div>{trace}</div>
        </div>
      </SettingsSection>
      {children}
    </>
  );
}
