/* broker.c - runs nats-server. */
#include "support/broker.h"

#include <fcntl.h>
#include <ftw.h>
#include <nats/nats.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stores/nats.h"
#include "support/facts.h"

enum { LIBRARY_ENDS_MS = 5000 };

static void write_configuration(const struct broker *broker, const char *path, const char *more)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "host: 127.0.0.1\nport: %d\nports_file_dir: \"%s\"\njetstream: {store_dir: \"%s\"}\n%s\n",
            broker->port ? broker->port : -1, broker->folder, broker->folder, more ? more : "");
    assert_int_equal(fclose(file), 0);
}

static void run(const char *folder, const char *configuration)
{
    char log[128];
    (void)snprintf(log, sizeof log, "%s/log", folder);
    const int file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execlp("nats-server", "nats-server", "-c", configuration, (char *)NULL);
    _exit(127);
}

/* Waits until it has written which port it has. */
static void learn_port(struct broker *broker)
{
    char path[128], text[512] = "";
    (void)snprintf(path, sizeof path, "%s/nats-server_%d.ports", broker->folder, (int)broker->pid);
    for (uint64_t i = 0; !strstr(text, "nats://127.0.0.1:"); i++) {
        FILE *file = fopen(path, "r");
        if (file) {
            text[fread(text, 1, sizeof text - 1, file)] = '\0';
            (void)fclose(file);
        }
        if (i == 3000 * tests_patience() || waitpid(broker->pid, NULL, WNOHANG) != 0)
            fail_msg("nats-server does not start: see %s/log", broker->folder);
        usleep(10000);
    }
    broker->port = (int)strtol(strstr(text, "127.0.0.1:") + 10, NULL, 10);
    (void)snprintf(broker->spec, sizeof broker->spec, "nats://127.0.0.1:%d", broker->port);
    (void)unlink(path);
}

static natsStatus try_clear(const char *url)
{
    static const char *const names[] = {"KV_nqueens_result", "KV_nqueens_unit", "KV_nqueens_job"};
    natsConnection *connection = NULL;
    jsCtx *js = NULL;
    natsStatus status = natsConnection_ConnectTo(&connection, url);
    if (status == NATS_OK)
        status = natsConnection_JetStream(&js, connection, NULL);
    for (size_t i = 0; status == NATS_OK && i < sizeof names / sizeof names[0]; i++) {
        status = js_DeleteStream(js, names[i], NULL, NULL);
        if (status == NATS_NOT_FOUND)
            status = NATS_OK;
    }
    jsCtx_Destroy(js);
    natsConnection_Destroy(connection);
    return status;
}

void broker_clear(const struct broker *broker)
{
    assert_int_equal(try_clear(broker->spec), NATS_OK);
}

void broker_start(struct broker *broker, const char *more)
{
    char configuration[128];
    if (!broker->folder[0]) {
        strcpy(broker->folder, "/tmp/nq_broker_XXXXXX");
        assert_non_null(mkdtemp(broker->folder));
    }
    (void)snprintf(configuration, sizeof configuration, "%s/configuration", broker->folder);
    write_configuration(broker, configuration, more);
    broker->pid = fork();
    assert_true(broker->pid >= 0);
    if (broker->pid == 0)
        run(broker->folder, configuration);
    learn_port(broker);
}

struct nats_options broker_patient(void)
{
    return (struct nats_options){.replicas = 1, .wait_ms = (unsigned)tests_patience() * NATS_WAIT_MS};
}

void broker_stop(struct broker *broker)
{
    if (!broker->pid)
        return;
    (void)kill(broker->pid, SIGKILL);
    assert_int_equal(waitpid(broker->pid, NULL, 0), broker->pid);
    broker->pid = 0;
}

void broker_freeze(struct broker *broker, bool frozen)
{
    int status;
    assert_int_equal(kill(broker->pid, frozen ? SIGSTOP : SIGCONT), 0);
    if (frozen) /* only when it stands still, all threads of it, nothing more comes of it */
        assert_true(waitpid(broker->pid, &status, WUNTRACED) == broker->pid && WIFSTOPPED(status));
}

static int remove_it(const char *path, const struct stat *about, int what, struct FTW *where)
{
    (void)about, (void)what, (void)where;
    return remove(path);
}

void broker_end(struct broker *broker)
{
    broker_stop(broker);
    (void)nftw(broker->folder, remove_it, 16, FTW_DEPTH | FTW_PHYS);
    *broker = (struct broker){0};
    nats_CloseAndWait(LIBRARY_ENDS_MS);
}
