// What the validator page needs beside the public entries: statistics of inputs from any source of bytes, and the page
// that shows them; the texts in records; parts of texts for tokenizers; what of a body is shown.

export { type ReportBody, reportBody } from './corpus/report/body.ts';
export { gatherStatistics, type GatheringStep, type GatherOptions } from './corpus/report/gather.ts';
export { drawPlots, type PlotData } from './corpus/report/plots.ts';
export { makeSortable } from './corpus/report/sortable.ts';
export { Statistics, type StatisticsJson } from './corpus/report/statistics.ts';
export { tokenParts } from './corpus/token-parts.ts';
export { areLines } from './corpus/records/turns.ts';
export { type BadRecord, isBad, type Unit, type FileOptions, unitsOf } from './corpus/records/unit.ts';
export { bodyPieces } from './model/shown.ts';
