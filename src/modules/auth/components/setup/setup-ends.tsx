import { Button, Stack } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import { NearLink } from '@/components/near-link';
import { Lead } from '../postcard';
import classes from './setup.module.css';

export function AlreadySetUp() {
  return (
    <>
      <h1>Already set up</h1>
      <Lead>Postroom already has an admin. Sign in instead.</Lead>
      <Button component={NearLink} href="/login" variant="filled" fullWidth>
        Sign in
      </Button>
    </>
  );
}

export function InvalidLink() {
  return (
    <>
      <h1>This setup link isn’t valid</h1>
      <Lead>
        <WhereLinkIs /> A link is valid for 24 hours; restart the server for a new one.
      </Lead>
    </>
  );
}

/** The page for someone who opens Postroom before its first admin exists. */
export function NotSetUp() {
  return (
    <>
      <h1>Set up Postroom first</h1>
      <Lead>
        Postroom has no admin yet. <WhereLinkIs /> A link is valid for 24 hours; restart the server for a new one.
      </Lead>
    </>
  );
}

function WhereLinkIs() {
  return (
    <>
      Find the line that starts with <code>Set up the first admin</code> at the end of the server’s output, and open the
      link there.
    </>
  );
}

export function SetupDone() {
  return (
    <>
      <h1>Postroom is set up</h1>
      <Lead>You have a domain with its DNS records, and a test message was sent.</Lead>
      <NextSteps />
    </>
  );
}

/** The next steps after the first message. */
export function NextSteps() {
  const isSandbox = trpc.sending.mta.useQuery({}).data?.kind === 'sandbox';
  return (
    <Stack>
      <h2 className={classes.group}>What most admins do next</h2>
      <ul className={classes.steps} aria-label="Next steps">
        <li>
          <NearLink href="/api-keys?new=true">Create an API key</NearLink>
          <span className="soft">Your application sends with it. You get a command that tries it.</span>
        </li>
        {isSandbox && (
          <li>
            <NearLink href="/system/services">Connect the mail server</NearLink>
            <span className="soft">Until then, messages stay in the sandbox.</span>
          </li>
        )}
        <li>
          <NearLink href="/admins?new=true">Add a colleague</NearLink>
          <span className="soft">Each admin has an account of their own.</span>
        </li>
      </ul>
      <Button component={NearLink} href="/" variant="filled" fullWidth>
        Open console
      </Button>
    </Stack>
  );
}
