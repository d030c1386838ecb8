import { createHash } from 'node:crypto';

/** The content of a message as Python's email package reads it; scripts/corpora/messages.py writes it. */
export type Judgement = {
  error?: string;
  subject: string | null;
  parts: { type: string; name: string | null; sha1: string; isCutBase64: boolean; text: string | null }[];
};

/** The data of mail.received.full. */
export type Received = {
  body_text: string | null;
  body_html: string | null;
  attachments: { filename: string; content_type: string; content_base64: string }[];
};

type Part = Judgement['parts'][number];
type Difference = { what: string; part: Part | null; ours: string; theirs: string };

/** The differences between what Postroom and Python read, without those that are accepted. */
export function differences(subject: string, ours: Received, theirs: Judgement): Difference[] {
  const found: Difference[] = [];
  const isSubject = squeezed(subject) === squeezed(theirs.subject ?? '');
  if (!isSubject) found.push({ what: 'subject', part: null, ours: subject, theirs: theirs.subject ?? '' });
  const body = squeezed(`${ours.body_text ?? ''}\n${ours.body_html ?? ''}`);
  const files = ours.attachments.map(({ filename, content_base64: base64 }) => {
    const content = Buffer.from(base64, 'base64');
    return { filename, sha1: createHash('sha1').update(content).digest('hex'), text: squeezed(content.toString()) };
  });
  for (const part of theirs.parts) {
    const file = files.find(({ sha1 }) => sha1 === part.sha1);
    const theirText = squeezed(part.text ?? '');
    if (file) {
      const isNamed = files.some(
        ({ sha1, filename }) => sha1 === part.sha1 && squeezed(filename) === squeezed(part.name ?? ''),
      );
      if (!isNamed) found.push({ what: 'name', part, ours: file.filename, theirs: part.name ?? '' });
    } else if (!body.includes(theirText) || part.text === null) {
      const isFile = files.some(({ text }) => text === theirText);
      if (!isFile) found.push({ what: 'content', part, ours: body, theirs: theirText });
    }
  }
  return found
    .filter((difference) => !ACCEPTED.some(({ holds }) => holds(difference)))
    .map(({ ours, theirs, ...rest }) => ({ ...rest, ours: ours.slice(0, SHOWN), theirs: theirs.slice(0, SHOWN) }));
}

const SHOWN = 500;

/** Differences in which Python reads less, with the reason. */
const ACCEPTED: { reason: string; holds: (difference: Difference) => boolean }[] = [
  {
    reason: 'Python decodes with the declared charset only, and gives U+FFFD or an escape for what is not in it.',
    holds: ({ what, part, ours, theirs }) =>
      what === 'content' && part?.text?.includes('\ufffd')
        ? isSameButUnknown(ours, theirs)
        : what !== 'content' && /\ufffd|=\?/.test(theirs) && !ours.includes('\ufffd'),
  },
  {
    reason: 'Python has no parts, and no text, for a multipart whose boundary occurs nowhere.',
    holds: ({ part }) => part?.type.startsWith('multipart/') === true,
  },
  {
    reason: 'Python has no name where words or sections of it are encoded against the standard.',
    holds: ({ what, ours, theirs }) => what === 'name' && ours !== '' && theirs === '',
  },
  {
    reason: 'Python leaves files in uuencode in the text.',
    holds: ({ part }) => /^begin [0-7]{3,4} /m.test(part?.text ?? ''),
  },
  {
    reason: 'Base64 of a wrong length has no right content.',
    holds: ({ part }) => part?.isCutBase64 === true,
  },
  {
    reason: 'Lines of format=flowed are joined, and have one space behind the quote.',
    holds: ({ part, ours, theirs }) =>
      part?.type === 'text/plain' && ours.replaceAll('>', '').includes(theirs.replaceAll('>', '')),
  },
];

/** Whether our text has what theirs has around the characters that Python doesn't know. */
function isSameButUnknown(ours: string, theirs: string): boolean {
  let at = 0;
  for (const known of theirs.split(/\ufffd+/)) {
    at = ours.indexOf(known, at);
    if (at < 0) return false;
  }
  return true;
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, '');
}
