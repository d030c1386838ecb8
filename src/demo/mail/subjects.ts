import type { Random } from '../random';

export type SenderKind = 'orders' | 'billing' | 'accounts' | 'bookings' | 'newsletter' | 'person';

type Write = (random: Random) => string;

const TOPICS = ['the quote', 'Thursday', 'the contract', 'the delivery', 'the floor plan', 'next week', 'the offer'];

const SUBJECTS: Record<SenderKind, Write[]> = {
  orders: [
    (random) => `Order #${random.int(41_000, 58_000)} confirmed`,
    (random) => `Order #${random.int(41_000, 58_000)} has shipped`,
    (random) => `Your parcel arrives ${random.pick(['today', 'tomorrow', 'on Friday', 'on Monday'])}`,
    (random) => `Order #${random.int(41_000, 58_000)} was delivered`,
    () => 'How was your order?',
    () => 'You left something in your basket',
  ],
  billing: [
    (random) => `Invoice 2026-${random.int(1_000, 9_999)}`,
    (random) => `Receipt for payment ${random.int(100_000, 999_999)}`,
    (random) => `Payment reminder: invoice 2026-${random.int(1_000, 9_999)}`,
    (random) => `Credit note 2026-${random.int(100, 999)}`,
  ],
  accounts: [
    () => 'Reset your password',
    () => 'Confirm your email address',
    () => 'New sign-in to your account',
    () => 'Your account has been created',
    (random) => `${random.int(100_000, 999_999)} is your sign-in code`,
  ],
  bookings: [
    (random) => `Booking ${random.int(7_000, 9_999)} confirmed`,
    () => 'Your appointment is tomorrow',
    (random) => `Your tickets for ${random.pick(['Friday', 'Saturday', 'Sunday'])}, 19:30`,
    (random) => `Booking ${random.int(7_000, 9_999)} was changed`,
  ],
  newsletter: [
    () => 'Winter blends are here',
    () => 'Three recipes for a slow weekend',
    () => 'Members’ evening: the programme',
    () => 'Warm layers, up to 30% off',
  ],
  person: [
    (random) => `Re: ${capital(random.pick(TOPICS))}`,
    (random) => `Question about ${random.pick(TOPICS)}`,
    () => 'Minutes of our meeting',
    () => 'Re: Re: Lunch?',
    (random) => `Fwd: Drawing ${random.int(10, 99)}, revision ${random.pick(['B', 'C', 'D'])}`,
    () => 'Signed copy attached',
    () => 'Holiday cover in the last week',
    () => 'Thank you!',
    () => 'Übergabe am Freitag',
    () => 'Réunion de mardi',
  ],
};

const RECEIVED: Write[] = [
  ...SUBJECTS.person,
  (random) => `Question about order #${random.int(41_000, 58_000)}`,
  () => 'Application for the advertised position',
  () => 'Cancellation',
  (random) => `[Ticket ${random.int(2_000, 6_000)}] Update from support`,
  () => 'Your monthly statement',
  () => 'Delivery note',
  () => '',
];

const SPAM: Write[] = [
  () => 'URGENT: your mailbox storage is full',
  () => 'You have (1) unclaimed package',
  () => 'Invoice overdue - final notice',
  () => 'Re: your crypto wallet',
  () => 'Best SEO offer for your website',
  () => 'Congratulations!! You are selected',
  () => 'Cheap pills no prescription',
  () => 'CEO request: are you at your desk?',
];

export function subjectOf(random: Random, kind: SenderKind): string {
  return random.pick(SUBJECTS[kind])(random);
}

export function receivedSubject(random: Random): string {
  return random.pick(RECEIVED)(random);
}

export function spamSubject(random: Random): string {
  return random.pick(SPAM)(random);
}

/** Size in bytes of a message of this kind; people attach files. */
export function sizeOf(random: Random, kind: SenderKind): number {
  if (kind === 'person' && random.chance(0.22)) return random.int(180_000, 9_400_000);
  if (kind === 'billing') return random.int(48_000, 190_000);
  return kind === 'newsletter' ? random.int(38_000, 92_000) : random.int(2_400, 31_000);
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
