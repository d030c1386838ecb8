import { EmptyState } from '@/components/data-table/states';
import { Notice } from '@/components/layout/notice';
import { NearLink } from '@/components/near-link';

export function NoMailServer() {
  return (
    <EmptyState title="No mail server is attached">
      <p>
        This page shows Postfix, Dovecot, Rspamd and Redis on a host that runs Postroom’s mail agent. No agent has
        reported in yet, so mail goes to the sandbox or to the server in <code>SMTP_URL</code>.
      </p>
      <p>
        To attach a mail server: on a Debian 12 host, run <code>deploy/mail/install</code> in Postroom’s folder, and
        start the agent with <code>systemctl start postroom-mail-agent</code> or <code>npm run mail-agent</code>. The
        steps are in <code>docs/mail-server.md</code>.
      </p>
    </EmptyState>
  );
}

export function SilentAgent() {
  return (
    <Notice status="failed" title="The mail agent is not responding" role="alert">
      <p>
        What its services do now is unknown, and no operation can start. Mail is received and delivered as long as they
        run, but mailboxes can’t submit by SMTP.
      </p>
      <p>
        On the mail server’s host, check <code>systemctl status postroom-mail-agent</code>, or run{' '}
        <code>npm run mail-agent</code> in Postroom’s folder. The agent needs a connection to the database. See also{' '}
        <NearLink href="/system/health">Health</NearLink>.
      </p>
    </Notice>
  );
}
