// @ts-check
// What is asked, and what a file of votes holds. Pure.

/**
 * @typedef {{ format: 1, method: keyof typeof QUESTIONS, subject: number,
 *   sittings: { training: string[][], rated: string[][] }[] }} Sheet
 * @typedef {{ clips: readonly string[], vote: number, ms: number, training: boolean }} Vote
 * @typedef {{ format: 1, method: keyof typeof QUESTIONS, subject: number, sitting: number, scripted: boolean,
 *   started: string, screen: { width: number, height: number }, votes: readonly Vote[] }} VotesFile
 */

/** The scales of ITU-T P.910, from 5 down to 1. */
export const QUESTIONS = {
  'acr-hr': {
    task: 'You will see videos one by one. After each, say how good its quality was.',
    question: 'How good was the quality of the video?',
    answers: ['Excellent', 'Good', 'Fair', 'Poor', 'Bad'],
  },
  dcr: {
    task: 'You will see pairs: a reference, then another video. Say how much worse the second one was.',
    question: 'How was the second video, compared with the reference?',
    answers: [
      'Differences are imperceptible',
      'Perceptible, but not annoying',
      'Slightly annoying',
      'Annoying',
      'Very annoying',
    ],
  },
};

/**
 * The file that a person's browser writes: `scripted` is true in no such file.
 * @param {Sheet} sheet @param {number} sitting @param {readonly Vote[]} votes
 * @param {{ started: string, width: number, height: number }} circumstances
 * @returns {VotesFile}
 */
export function votesFile({ method, subject }, sitting, votes, { started, width, height }) {
  return { format: 1, method, subject, sitting, scripted: false, started, screen: { width, height }, votes };
}

/** The same as a table. @param {VotesFile} file */
export function csvOf({ method, subject, sitting, scripted, votes }) {
  const rows = votes.map(({ clips, vote, ms, training }) =>
    [method, subject, sitting, scripted, training, clips.join('+'), vote, ms].join(','),
  );
  return `${['method,subject,sitting,scripted,training,clips,vote,ms', ...rows].join('\n')}\n`;
}
