import { Button } from '@mantine/core';
import { NearLink } from '@/components/near-link';
import { Lead } from '../postcard';

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

/** What someone finds who opens Postroom before its first admin exists. */
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
      <Button component={NearLink} href="/" variant="filled" fullWidth>
        Open console
      </Button>
    </>
  );
}
