import { TagsInput } from '@mantine/core';

type OtherMxHostsProps = {
  value?: string[];
  onChange?: (hosts: string[]) => void;
  isReadOnly: boolean;
  error?: string;
};

export function otherMxHostsText(hosts: string[]): string {
  return hosts.length === 0 ? 'None' : hosts.join(', ');
}

/** Hosts in the MX records that are another server, and meant to be there. */
export function OtherMxHosts({ value = [], onChange, isReadOnly, error }: OtherMxHostsProps) {
  return (
    <TagsInput
      label="Other MX hosts"
      description="Your backup or filter on another server. The DNS check accepts it in the MX records."
      className="mono-input"
      splitChars={[',', ' ']}
      acceptValueOnBlur
      disabled={isReadOnly}
      error={error}
      value={value}
      onChange={(hosts) => onChange?.(hosts.map((host) => host.trim()).filter(Boolean))}
    />
  );
}
