import { Select } from '@mantine/core';
import { Notice } from '@/components/layout/notice';
import type { Domain } from '../../schema';

type Mode = Domain['mta_sts_mode'];

const MODES: Record<Mode, { label: string; effect: string }> = {
  none: {
    label: 'None',
    effect: 'Other servers use TLS if it works, and deliver without it otherwise.',
  },
  testing: {
    label: 'Testing',
    effect: 'Other servers deliver as before, and report when they couldn’t use verified TLS. Start with this.',
  },
  enforce: {
    label: 'Enforce',
    effect: 'Other servers deliver over verified TLS only.',
  },
};

export function mtaStsModeText(mode: Mode): string {
  return MODES[mode].label;
}

type MtaStsModeProps = { value?: Mode; onChange?: (mode: Mode) => void; isReadOnly: boolean; error?: string };

export function MtaStsMode({ value = 'none', onChange, isReadOnly, error }: MtaStsModeProps) {
  return (
    <>
      <Select
        label="MTA-STS mode"
        description={MODES[value].effect}
        data={(Object.keys(MODES) as Mode[]).map((mode) => ({ value: mode, label: MODES[mode].label }))}
        allowDeselect={false}
        disabled={isReadOnly}
        error={error}
        value={value}
        onChange={(mode) => mode && onChange?.(mode)}
      />
      {value === 'enforce' && (
        <Notice status="warning" title="A certificate that can’t be verified stops inbound mail">
          <p>
            Other servers then wait, and return the mail to its sender after some days. Choose Enforce once the MX, TLS
            and MTA-STS records on the DNS tab have no problems and TLS reports show no failures.
          </p>
        </Notice>
      )}
    </>
  );
}
