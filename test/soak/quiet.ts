/** To be imported before anything of the functions: their loggers have nothing to say of the failures made here. */
process.env.POWERTOOLS_LOG_LEVEL = 'SILENT';
