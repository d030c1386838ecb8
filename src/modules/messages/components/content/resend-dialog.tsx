'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { useResendMessage } from '@/components/api/use-send';
import { Dialog, DialogFields, DialogFooter, DialogFrame } from '@/components/dialogs/dialog';
import { AddressesInput } from '@/components/directory/addresses-input';
import { NearLink } from '@/components/near-link';
import { formatPlural } from '@/lib/format';
import { parseAddress } from '@/lib/mail/address';
import type { Message } from '../../schema';

type ResendDialogProps = { message: Message; opened: boolean; onClose: () => void };

const UNFINISHED: ReadonlySet<Message['status']> = new Set(['sent', 'deferred', 'uncertain']);
const SEPARATORS = [',', ';', ' ', '\n', '\t'];

// Text that was typed or filled in at once still has its separators.
function splitAddresses(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

export function ResendDialog({ message, opened, onClose }: ResendDialogProps) {
  const [to, setTo] = useState(failedOnly(message));
  const resend = useResendMessage(message.id);
  const isInvalid = (address: string) => parseAddress(address) === null;

  if (resend.data) {
    return (
      <DialogFrame opened={opened} onClose={onClose} title="Message resent">
        <DialogFields>
          <p className="soft">Your mail server accepted the copy. Its own page shows what happens to it.</p>
        </DialogFields>
        <DialogFooter>
          <span className="spacer" />
          <Button onClick={onClose}>Close</Button>
          <Button
            component={NearLink}
            variant="filled"
            href={`/messages/${resend.data.id}`}
            onClick={onClose}
            data-autofocus
          >
            View new message
          </Button>
        </DialogFooter>
      </DialogFrame>
    );
  }
  return (
    <Dialog
      opened={opened}
      title="Resend message"
      action="Resend message"
      isBusy={resend.isPending}
      isDisabled={to.some(isInvalid)}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        resend.mutate(to.length > 0 ? { to } : {});
      }}
    >
      <p className="soft">
        Sends a copy with a new message ID and date to {recipientsText(message, to)}. Those who already have the message
        get it twice. {UNFINISHED.has(message.status) && 'The first copy may still be delivered.'}
      </p>
      <AddressesInput
        label="Send only to (optional)"
        description="Only they get the copy. They see the original recipients in it."
        placeholder={to.length === 0 ? 'ann@example.com' : undefined}
        splitChars={SEPARATORS}
        value={to}
        isInvalid={isInvalid}
        error={to.some(isInvalid) && 'Enter plain addresses such as ann@example.com.'}
        onChange={(next) => setTo([...new Set(next.flatMap(splitAddresses))])}
      />
      <ProblemAlert problem={resend.error ? toProblem(resend.error) : null} />
    </Dialog>
  );
}

/** Returns the recipients who didn't get the message, if others did; else nobody, which means all. */
function failedOnly({ recipients }: Message): string[] {
  const failed = recipients.filter(({ status }) => status === 'bounced' || status === 'failed');
  return failed.length < recipients.length ? failed.map(({ address }) => address) : [];
}

function recipientsText({ recipients }: Message, to: string[]): string {
  if (to.length > 0) return to.length === 1 ? `${to[0]}` : formatPlural(to.length, 'recipient');
  const [first] = recipients;
  return recipients.length === 1 && first ? first.address : `all ${recipients.length} recipients`;
}
