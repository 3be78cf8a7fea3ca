/** Whoever runs the tests may have a terminal with colours: what they compare is what a script gets. Jest hands both on. */
delete process.env['FORCE_COLOR'];
delete process.env['COLUMNS'];
