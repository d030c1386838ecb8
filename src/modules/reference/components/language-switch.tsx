'use client';

import { SegmentedControl } from '@/components/segmented-control';
import { LANGUAGES } from './language';
import { useReferenceState } from './reference-state';

export function LanguageSwitch() {
  const { language, setLanguage } = useReferenceState();
  return <SegmentedControl label="Language of the code" value={language} options={LANGUAGES} onChange={setLanguage} />;
}
