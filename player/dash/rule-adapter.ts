import type { RepresentationMap } from '../../src/manifest/segment-map.js';
import type { Retransmission } from '../segments/record/retransmission.js';
import type { Content } from '../segments/choose/content.js';
import type { DeliveryRecorder } from '../segments/record/delivery-recorder.js';
import type { SegmentChooser } from '../segments/choose/segment-chooser.js';
import type { SegmentLoader } from '../segments/fetch/segment-loader.js';
import type { BufferedVideo } from './buffered-video.js';
import type { DashPlayer, DashRepresentation, RulesContext, Stream, SwitchRequest } from './dash-types.js';
import type { InitializationLoader } from './initialization-loader.js';

export interface RuleAdapterOptions {
  readonly video: Pick<BufferedVideo, 'nextRequest'>;
  readonly content: Content;
  readonly chooser: SegmentChooser;
  readonly recorder: Pick<DeliveryRecorder, 'isFirst'>;
  readonly segments: Pick<SegmentLoader, 'restartOf'>;
  readonly initializations: Pick<InitializationLoader, 'want'>;
  readonly retransmission: Pick<Retransmission, 'expectRequestIn'> | undefined;
}

/** What dash.js asks each kind of rule. */
const QUESTIONS = { qualitySwitchRules: 'getSwitchRequest', abandonFragmentRules: 'shouldAbandon' } as const;

/**
 * Puts a rule where dash.js looks for it; the function returned takes it away. A strong request wins over dash.js' own rules; without a
 * representation they decide.
 */
export function addRule(
  player: DashPlayer,
  kind: keyof typeof QUESTIONS,
  rule: string,
  choose: (rules: RulesContext) => DashRepresentation | null,
): () => void {
  let active = true;
  const answer = (rules: RulesContext): SwitchRequest => {
    const representation = active ? choose(rules) : null;
    return { representation, priority: representation ? 1 : 0.5, reason: representation && { rule }, rule };
  };
  const instance = { getClassName: () => rule, reset: () => undefined, [QUESTIONS[kind]]: answer };
  player.addABRCustomRule(kind, rule, () => ({ create: () => instance }));
  return () => {
    active = false;
    player.removeABRCustomRule(rule);
  };
}

/** Puts the rate control's answers where dash.js looks for them. Each function returned takes a rule away. */
export function addRules(player: DashPlayer, options: RuleAdapterOptions): (() => void)[] {
  return [
    addRule(player, 'qualitySwitchRules', 'VoxelSwitchRule', (rules) => chooseRepresentation(player, options, rules)),
    addRule(player, 'abandonFragmentRules', 'VoxelAbandonRule', (rules) => findRestart(options, rules)),
  ];
}

function chooseRepresentation(
  player: DashPlayer,
  { video, content, chooser, recorder, initializations, retransmission }: RuleAdapterOptions,
  rules: RulesContext,
): DashRepresentation | null {
  if (rules.getMediaType() !== 'video') return null;
  // While dash.js prepares another period than the one that plays its own rules choose.
  if ((player.getActiveStream() as Stream | null)?.getId() !== rules.getStreamInfo().id) return null;
  const next = video.nextRequest;
  const allowed = allowedRepresentations(rules);
  const { presentation, indexes } = content;
  const maps = allowed.map((representation) => presentation.representation(representation));
  // A ladder that has VOXEL data in part only cannot be compared by score.
  if (!next || !maps.every((map): map is RepresentationMap => map !== undefined)) return null;
  const first = recorder.isFirst ? chooser.begin(maps, next) : undefined;
  // The viewer waits for that one's index.
  if (first) indexes.want([first], next.index);
  indexes.want(maps, next.index, first ? 'later' : 'now');
  // The very first segment has the link to itself.
  if (!recorder.isFirst) initializations.want(allowed.filter((_, place) => maps[place]!.segment(next.index)));
  if (recorder.isFirst && maps.some((map) => indexes.isPending(map, next.index))) {
    return first ? allowed[maps.indexOf(first)]! : null;
  }
  const decision = chooser.choose(maps, next);
  if (!decision) return null;
  retransmission?.expectRequestIn(decision.delay);
  rules.getScheduleController().setTimeToLoadDelay(decision.delay * 1000);
  return allowed[maps.indexOf(decision.representation)]!;
}

function findRestart({ content, segments }: RuleAdapterOptions, rules: RulesContext): DashRepresentation | null {
  const restart = segments.restartOf(rules.getCurrentRequest());
  if (!restart) return null;
  const isChosen = (candidate: DashRepresentation): boolean =>
    content.presentation.representation(candidate) === restart.representation;
  return allowedRepresentations(rules).find(isChosen) ?? null;
}

/** Those that dash.js may choose now. */
export function allowedRepresentations(rules: RulesContext): readonly DashRepresentation[] {
  return rules.getAbrController().getPossibleVoRepresentationsFilteredBySettings(rules.getMediaInfo(), true);
}
